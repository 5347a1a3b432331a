/*
 * How a branch target buffer is organised: sets, ways, index bits, branches per entry, found by simulating all that it
 * might be.
 *
 * Rows of always-taken branches, each jumping to the next and the last to the first, are measured at many spacings,
 * lengths and patterns of branch types. Every organisation in question predicts which part of a row it holds; those
 * whose predictions explain what was measured are told, all of them, and the row that would tell them apart best.
 * (Rows and reading by eye: jia.je, 2024 and 2025; the rule of halving is in lib/family.h.)
 *
 * An organisation is sets of entries, at one level or two:
 *
 *   index   set_bits bits of the branch's address from bit `low` on; folded: XOR with as many bits above them. Where
 *           an entry holds several branches, the first one's address counts
 *   entry   one branch; or several: enum btb_entry
 *
 * Which part of a row is held: lib/fit/btb_row.h.
 *
 * A row costs its hits of either level and its misses, each times a cost. Costs are fitted for each pattern, and must
 * ascend. Rows of one spacing may deviate from their pattern's by some percent, since fetching, fast paths and two
 * branches per cycle cost or save what has nothing to do with who is held: Neoverse N1's main level takes 2, 2.5 or
 * 2.75 cycles, by the spacing (jia.je 2025). Misfit is chi-square, of points by their own errors, of rows by that
 * spread.
 *
 * An organisation survives when its misfit is at most that of the best one plus 25: a likelihood ratio of five sigma.
 * Where the best one misses the points by more than chance would, none fits. One level is told where it explains the
 * points as well as two. A survivor that is alone has not been tried hard: rows by chance follow, which may refute it.
 *
 * Entries are taken to be replaced least recently used first; where nothing fits then, anything may be. Rows that sets
 * have no room for are no evidence of how much, then, but of how much at most: more organisations survive.
 *
 * What cannot be known this way:
 *
 *   The size of a single set is known as far as counts were measured: ways … ways_end - 1.
 *   A level that takes the victims of the one before it behaves like one that holds the sum, if both are single sets.
 *   An L1I or ITLB in the way looks like a level: say its size. Where it is not known, no grade is above C.
 *   Outside are victims in sets, tags that alias, three levels. Leave the rows of a smaller level out, and the others are
 *   levels 1 and 2.
 */
#ifndef FATHOM_LIB_FIT_BTB_FIT_H
#define FATHOM_LIB_FIT_BTB_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fit/btb_misfit.h"
#include "lib/fit/btb_row.h"
#include "lib/report.h"

enum {
    BTB_FIT_POINTS = BTB_MISFIT_POINTS,
    BTB_FIT_LEVELS = 2,
    BTB_FIT_FOOTPRINTS = 4,
    BTB_FIT_SHOWN = 32, /* organisations of one level that are told one by one */
    BTB_FIT_TEXT = 64,
    BTB_FIT_CHALLENGES = 24 /* rows that what survives has to pass */
};

struct btb_organisation {
    struct btb_index index;  /* of no bits: one set, fully associative */
    unsigned ways, ways_end; /* [ways, ways_end) where several of a single set predict alike */
    enum btb_entry entry;
    unsigned per_entry; /* branches */
};

/* "2 ways of 512 sets, PC[10:2], single" */
void btb_organisation_text(const struct btb_organisation *o, char *out, size_t room);

struct btb_fit_question {
    unsigned patterns;               /* that can be measured: 1 << enum btb_pattern, or-ed */
    unsigned stride_from, stride_to; /* powers of two: what can be measured */
    unsigned count_from, count_to;
    unsigned alignment;                    /* of an instruction, in bytes: no index bit is below it */
    double footprints[BTB_FIT_FOOTPRINTS]; /* bytes: as in lib/family.h */
};

struct btb_fit_level {
    size_t count;                                 /* organisations that survive */
    struct btb_organisation shown[BTB_FIT_SHOWN]; /* the first of them */
    bool left;                                    /* false: one of them holds all rows that were measured */
    /* What all survivors share; of an index, low, bits and folding. Nothing where not `complete`, or `doubtful`. */
    bool same_ways, same_sets, same_index, same_per_entry;
    double cycles[BTB_PATTERNS]; /* of a hit, by the best; NaN */
};

struct btb_fit_result {
    const char *reason; /* NULL: survivors are told; else none-fits, no-level, too-few-points, no-memory */
    size_t level_count;
    struct btb_fit_level levels[BTB_FIT_LEVELS];
    double misfit, expected; /* chi-square of the best; the most that chance explains */
    size_t points, patterns; /* that counted; of which patterns they are */
    size_t challenges;       /* rows chosen to refute survivors */
    bool any_replacement;    /* nothing is replaced least recently used first: what is replaced is not known */
    bool limits_known;
    bool complete; /* false: there may be survivors that were not looked at */
    bool doubtful; /* a survivor has a level that one spacing alone shows, or that hardly holds more than the other */
};

struct btb_fit;

/* NULL when memory is short: some megabytes. */
struct btb_fit *btb_fit_start(const struct btb_fit_question *q);
void btb_fit_free(struct btb_fit *f);
/*
 * Adds a point: cycles per branch, and their standard error. Rows beyond a footprint are taken and do not count. False:
 * no room, no such row, or not a number.
 */
bool btb_fit_add(struct btb_fit *f, const struct btb_row *row, double cycles, double error);
/* Decides about the points so far. */
const struct btb_fit_result *btb_fit_decide(struct btb_fit *f);
/*
 * After btb_fit_decide: the row, not measured yet, that tells survivors apart best; when none does, since what remains
 * behaves alike in all that can be measured, some rows by chance that may refute it. False when all is done. Rows may
 * be added and asked for without deciding in between, which is quicker; the answer is btb_fit_decide's.
 *
 *     for (btb_fit_decide(f); btb_fit_next(f, &row) && measure(&row, &cycles, &error);)
 *         btb_fit_add(f, &row, cycles, error);
 *     btb_fit_decide(f);
 */
bool btb_fit_next(struct btb_fit *f, struct btb_row *row);

/*
 * Reports one level's ways, sets, index bits and branches per entry, under the names that the probe declares; `level`
 * from 0, `number` what records call it; 0 where nobody knows: U, level-not-known, once for all levels. What all
 * survivors share is grade B where two patterns have spoken, limits are known and all challenges were passed, else C.
 * What they do not share is U: several-fit, level-in-doubt; they are sent as a table, a row each. A name that is NULL is
 * not asked for.
 */
struct btb_fit_names {
    const char *ways, *sets, *index_bits, *branches_per_entry;
};
void btb_fit_report(struct probe *p, const struct btb_fit_result *r, size_t level, unsigned number,
                    const struct btb_fit_names *names);

#endif
