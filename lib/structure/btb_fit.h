/*
 * Fit: how branch target buffers are organised (sets, ways, index bits, branches to an entry), found by comparing all
 * organisations in question with measured costs of branch sequences.
 *
 * Branch sequences of many strides, lengths and patterns are measured. Each organisation (lib/structure/btb_space.h),
 * as one level or two, predicts which part of each sequence hits; a sequence costs its hits of either level and its
 * misses, each times a cost that is fitted. Organisations whose mismatch (lib/structure/btb_mismatch.h) is at most 25
 * above the best survive: a likelihood ratio of five sigma. If the best one misses the points by more than chance
 * explains, none fits. One level is the result where it explains the points as well as two.
 *
 * The fit also asks for the sequence that would separate survivors best; when nothing separates them any more, for
 * random sequences that may refute them.
 *
 * Replacement is first assumed to be LRU. If nothing fits, it may be anything: sequences for which sets have no room
 * then only limit how much is held, and more organisations survive. If two levels fit, one level that replaces at
 * random may explain the points as well, since it is left slowly: it is listed with the first level, which is then the
 * only one: what both agree on is known whether there is a second level or not.
 *
 * What cannot be determined this way:
 *
 *   - The size of a single set is known only as far as counts were measured: ways … ways_end - 1.
 *   - A level that takes the victims of the level before it behaves like one that holds the sum, if both are single
 *     sets.
 *   - An instruction cache or an ITLB that ends first looks like a level. Give its size; if it is not known, no grade
 *     is above C.
 *   - Not in the space: victim levels with several sets, tags that alias, three levels. Where a smaller level comes
 *     before, leave its sequences out (count_from): the two others are levels 1 and 2 then.
 *
 * Method: docs/METHODS.md, 4.7. Sources: the sequences and reading them by eye are jia.je's (2024 and 2025).
 */
#ifndef FATHOM_LIB_STRUCTURE_BTB_FIT_H
#define FATHOM_LIB_STRUCTURE_BTB_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/reason.h"
#include "lib/structure/btb_design.h"
#include "lib/structure/btb_mismatch.h"
#include "lib/structure/btb_sequence.h"
#include "lib/structure/btb_space.h"

enum {
    BTB_FIT_POINTS = BTB_MISMATCH_POINTS,
    BTB_FIT_LEVELS = BTB_LEVELS,
    BTB_FIT_SHOWN = 32,     /* survivors of one level that are listed */
    BTB_FIT_CHALLENGES = 24 /* random sequences that survivors have to pass. Chosen: as many as time allows */
};

struct btb_fit_level {
    size_t count; /* organisations that survive; single sets whose sizes follow each other count as one */
    struct btb_organisation shown[BTB_FIT_SHOWN]; /* the first of them */
    bool left;                                    /* false: some survivor holds all sequences that were measured */
    /*
     * Whether all survivors have the same …; all false where the result is not `complete`, or is `doubtful`, or where
     * replacement may be any, which explains much, and not all challenges were passed; same_per_entry also where a
     * survivor has BTB_PER_ENTRY_MOST: a larger block would predict the same.
     */
    bool same_ways, same_sets, same_index, same_per_entry;
    double cycles[BRANCH_CHAIN_PATTERNS]; /* of a hit, for the best pair; NaN: no sequence shows it */
};

struct btb_fit_result {
    enum reason reason; /* REASON_NONE: there are survivors; NO_FIT, NO_LEVEL, TOO_FEW_POINTS, NO_MEMORY */
    size_t level_count;
    struct btb_fit_level levels[BTB_FIT_LEVELS];
    double mismatch, expected; /* chi-square of the best; the most that chance explains */
    size_t points, patterns;   /* that were used; how many patterns they have */
    size_t left_out;           /* points for which there was no room */
    size_t challenges;         /* random sequences that were asked for and measured */
    bool any_replacement;      /* no LRU organisation fits: these fit with some replacement policy */
    bool limits_known;         /* footprints were given */
    bool complete;             /* false: organisations that were not tried may fit as well */
    bool doubtful;             /* btb_search_doubtful, of level_count levels */
};

struct btb_fit;

/* Starts a fit without points. NULL where memory is short: a fit takes some megabytes. */
struct btb_fit *btb_fit_start(const struct btb_limits *limits);
void btb_fit_free(struct btb_fit *f);
/*
 * Adds a point: the cycles per branch of a sequence, whose last_at is that of the limits, and their standard error. A
 * sequence that fills a footprint of the limits (btb_limits_exceeded) is accepted but not used. False where there is no
 * room, which is counted in `left_out`, where the sequence is not valid, where a number is not finite, `cycles` not
 * positive or `error` negative, or where memory is short: then btb_fit_decide returns that as its reason.
 */
bool btb_fit_add(struct btb_fit *f, const struct btb_sequence *sequence, double cycles, double error);
/* Decides about all points so far. The result is valid until the next call or btb_fit_free. */
const struct btb_fit_result *btb_fit_decide(struct btb_fit *f);
/*
 * After btb_fit_decide: stores the sequence to measure next in *sequence. False when there is none: nothing survives,
 * none that would separate or refute the survivors was found, there is no room for another point, or memory is short.
 * btb_fit_add updates the survivors, so that deciding again after each point is not necessary:
 *
 *     for (btb_fit_decide(f); btb_fit_next(f, &sequence) && measure(&sequence, &cycles, &error);)
 *         btb_fit_add(f, &sequence, cycles, error);
 *     result = btb_fit_decide(f);
 */
bool btb_fit_next(struct btb_fit *f, struct btb_sequence *sequence);

#endif
