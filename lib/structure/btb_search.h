/*
 * Search: which classes of organisations (lib/structure/btb_classes.h), as one level or as pairs of levels, explain the
 * measured points.
 *
 * All pairs are too many to try. Short sequences need hardly more than the first level, and long ones are beyond it:
 * the classes that explain short or long sequences best by themselves are combined with all others. Then, as long as
 * pairs survive that contain a class which was not combined with the others, and not too many were, that class is. A
 * pair survives if its mismatch is at most BTB_SURVIVES above the best.
 *
 * Method: docs/METHODS.md, 4.7.
 */
#ifndef FATHOM_LIB_STRUCTURE_BTB_SEARCH_H
#define FATHOM_LIB_STRUCTURE_BTB_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/reason.h"
#include "lib/structure/btb_classes.h"
#include "lib/structure/btb_mismatch.h"

struct btb_pair {
    uint16_t level[BTB_LEVELS]; /* classes; the second is BTB_NO_CLASS where there is one level */
    double mismatch;
};

struct btb_search {
    struct btb_classes *classes;
    struct btb_mismatch points; /* those that are being explained */
    struct btb_pair *pairs;     /* that may survive */
    size_t pair_count;
    double best; /* mismatch of the best of them */

    /* Results of btb_search_run. */
    size_t level_count;        /* 1 or 2; 0 where it returned a reason */
    double mismatch, expected; /* of the best; the most that chance explains */
    bool complete;             /* false: pairs that were not tried may survive as well */
    bool second_open; /* two levels explain the points clearly better than one does, which chance explains, too */
    double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS]; /* of the best; NaN where no sequence shows them */
};

/* Starts a search among these classes. False where memory is short; btb_search_free must follow in either case. */
bool btb_search_start(struct btb_search *s, struct btb_classes *classes);
void btb_search_free(struct btb_search *s);
/*
 * Finds the surviving pairs; they replace those of an earlier call. One level is the result where it explains the
 * points as well as two, or chance explains its mismatch and the second level is in doubt; the pairs are then kept
 * beside it. Where replacement may be any, the search ends when more
 * pairs survive than are kept. Returns REASON_NO_LEVEL where one cost per pattern, without any level, explains them as
 * well, REASON_NO_FIT where there is no pair, or the best one or a single point in it deviates by more than chance
 * explains, REASON_NO_MEMORY, or REASON_NONE.
 */
enum reason btb_search_run(struct btb_search *s);
/*
 * Whether one level alone explains the points, where its replacement is something between LRU and random: neither their
 * mismatch nor a single point is off by more than chance explains. s->pairs are then the classes that survive so;
 * nothing else is set. For asking, where replacement may be any, whether that explains what two levels with LRU do:
 * costs may differ no more than for LRU.
 */
bool btb_search_one_level(struct btb_search *s);
/*
 * To be called after points were added, which may split a class of organisations into several: replaces each pair by
 * the pairs of classes that its two classes were split into, as far as these still survive. Changes nothing where
 * memory is short.
 */
void btb_search_refresh(struct btb_search *s);
/* Sets marks[c], for each class c, to 1 where c is level number `level` (0 or 1) of a surviving pair, else to 0. */
void btb_search_mark(const struct btb_search *s, size_t level, uint8_t *marks);
/*
 * Whether some pair of s->pairs has, as one of its first `levels` levels, a class that may be something else than a
 * level: points of at most one stride show it, or it is the second and the longest sequence that it holds as a whole is
 * less than BTB_LEVELS_APART times that of the first, or at some stride its hits cost no more than those of the first
 * (btb_mismatch_no_step). To be called after btb_search_run.
 */
bool btb_search_doubtful(const struct btb_search *s, size_t levels);

#endif
