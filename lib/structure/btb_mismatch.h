/*
 * Mismatch: how badly two levels of branch target buffers with given contents explain measured costs of branch
 * sequences. It is chi-square, minimised over the costs.
 *
 * A sequence costs its hits of level 1, its hits of level 2 and its misses, each times a cost. Sequences of one pattern
 * and one stride are a group. The costs of a group may deviate a little from those of the pattern, since fetching, fast
 * paths and two branches per cycle cost or save cycles that have nothing to do with what is resident. Costs of groups
 * and of patterns are chosen together so that the sum of squares is least: points in units of their own standard
 * errors, deviations of groups in units of the spread that they are allowed.
 *
 * Where the replacement policy is not known, a level holds a part between a least and a most. Of all parts in between,
 * the one is used at which the sequence costs most nearly what was measured: policies differ from each other in the
 * same direction for all sequences, so that no distribution over the range would be right, and an organisation is
 * contradicted only by what lies beyond it.
 *
 * Method: docs/METHODS.md, 4.7.
 */
#ifndef FATHOM_LIB_STRUCTURE_BTB_MISMATCH_H
#define FATHOM_LIB_STRUCTURE_BTB_MISMATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/structure/btb_sequence.h"

enum {
    BTB_LEVELS = 2,
    BTB_COSTS = 3, /* of a hit of level 1, of a hit of level 2, of a miss */
    BTB_MISMATCH_POINTS = 320
};

struct btb_point {
    struct btb_sequence sequence;
    double cycles, error; /* per branch; standard error of it */
};

/* One number for each of the costs. */
struct btb_costs {
    double x, y, z; /* hit of level 1, hit of level 2, miss */
};

/* What the points of a pattern have in common. */
struct btb_mismatch_pattern {
    double least, most;       /* cycles of its points */
    struct btb_costs weights; /* 1 / variance of the costs of groups */
};

/* A point with what the fit needs of it. */
struct btb_mismatch_point {
    size_t number; /* among the points that were given */
    enum branch_chain_pattern pattern;
    unsigned stride;
    double cycles, weight; /* 1 / variance */
    double range;          /* of the cycles of its pattern's points */
};

struct btb_mismatch {
    size_t count;
    double scatter;
    struct btb_mismatch_point points[BTB_MISMATCH_POINTS]; /* sorted by group */
    struct btb_mismatch_pattern patterns[BRANCH_CHAIN_PATTERNS];
};

/* Standard deviations, as parts of a cost, by which costs may differ although the organisation is right. */
struct btb_spread {
    double scatter;      /* of points of one plateau, beyond what repetition shows */
    double hits, misses; /* of the costs of a group from those of its pattern */
};

/*
 * Prepares *m for comparing organisations with those of `count` points (at most BTB_MISMATCH_POINTS) whose sequences
 * have `from` to `to` branches. spread: by how much costs may differ although an organisation is right.
 */
void btb_mismatch_prepare(struct btb_mismatch *m, const struct btb_point *points, size_t count, unsigned from,
                          unsigned to, const struct btb_spread *spread);
/*
 * Returns chi-square of the points if levels 1 and 2 hold the parts one[i] and two[i] of the sequence of point i, as
 * numbered in the call of btb_mismatch_prepare; NULL: there is no such level. Stores the costs that fit each pattern
 * best in `costs`: of a hit of level 1, a hit of level 2 and a miss, in cycles, NaN where no sequence shows it.
 * INFINITY where one of the known costs is less than BTB_COST_RATIO times the one before, or where no stride shows a
 * level that is given; also, to save time, where a lower bound of chi-square is above `limit`: costs are not set then.
 */
double btb_mismatch(const struct btb_mismatch *m, const struct btb_part *one, const struct btb_part *two, double limit,
                    double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS]);
/*
 * Whether some given level is shown by one stride alone, or by none: its cost may then be due to that stride and not to
 * a level.
 */
bool btb_mismatch_one_stride(const struct btb_mismatch *m, const struct btb_part *one, const struct btb_part *two);
/*
 * Whether there is a stride of a pattern that shows both levels, and at which a hit of the second one costs less than
 * BTB_COST_RATIO times what one of the first does, though that is not slower there than at other strides: the second
 * level is the first one there, under another name.
 */
bool btb_mismatch_no_step(const struct btb_mismatch *m, const struct btb_part *one, const struct btb_part *two);
/* The largest chi-square that chance alone explains, within BTB_SIGMAS. */
double btb_mismatch_expected(const struct btb_mismatch *m);
/* The largest share of chi-square that a single point has at these costs. */
double btb_mismatch_worst(const struct btb_mismatch *m, const struct btb_part *one, const struct btb_part *two,
                          double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS]);

#endif
