/*
 * How badly two levels that hold given parts of rows explain what the rows cost: least squares over all costs.
 *
 * A row costs its hits of either level and its misses, each times a cost. Rows of one pattern and spacing are a group;
 * its costs deviate a little from the pattern's, and both are chosen so that the sum of squares is least, each in units
 * of its own deviation.
 *
 * Where nobody knows what is replaced, a part is anything between a least and a most. The middle is taken, and what lies
 * between is a doubt: of a uniform distribution, times what it would change.
 */
#ifndef FATHOM_LIB_FIT_BTB_MISFIT_H
#define FATHOM_LIB_FIT_BTB_MISFIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fit/btb_row.h"

enum {
    BTB_COSTS = 3,        /* of a hit of level 1, of level 2, of a miss */
    BTB_ALL = UINT16_MAX, /* parts of a row that is held whole */
    BTB_MISFIT_POINTS = 320
};

/* A level costs so much more than the one before it, or it is the same. */
#define BTB_DEARER 1.05
/* So many sigma of its own distribution may chi-square be too large, and any single point be off. */
#define BTB_CHANCE 5.0

/* How much of a row a level holds, in parts of BTB_ALL. */
struct btb_part {
    uint16_t least, most;
};

struct btb_point {
    struct btb_row row;
    double cycles, error; /* a branch; standard error */
};

struct btb_vector {
    double x, y, z; /* level 1, level 2, miss */
};

/* What a pattern's points have in common, whatever holds them. */
struct btb_misfit_pattern {
    double least, most;       /* cycles */
    struct btb_vector spread; /* of groups: 1 / variance */
};

/* A point with what a fit needs of it. */
struct btb_misfit_point {
    size_t number;
    enum btb_pattern pattern;
    unsigned stride;
    double cycles, weight; /* of least squares: 1 / variance */
    double range;          /* of its pattern's cycles */
};

struct btb_misfit {
    size_t count;
    double scatter;
    struct btb_misfit_point points[BTB_MISFIT_POINTS]; /* in the order of their groups */
    struct btb_misfit_pattern patterns[BTB_PATTERNS];
};

/* What is let pass, relatively. */
struct btb_slack {
    double scatter;      /* by so much points of one plateau differ from it for reasons that repeating does not show */
    double hits, misses; /* by so much rows of one spacing deviate from their pattern's costs */
};

/* Takes those of the points, BTB_MISFIT_POINTS at most, whose rows have from … to branches. */
void btb_misfit_prepare(struct btb_misfit *m, const struct btb_point *points, size_t count, unsigned from, unsigned to,
                        const struct btb_slack *slack);
/*
 * Chi-square, where levels 1 and 2 hold parts one[i] and two[i] of BTB_ALL of point i's row; NULL: there is no such
 * level. Costs are those of each pattern; NaN: no row shows it. INFINITY where costs do not ascend, or no row shows a
 * level. It may be INFINITY, too, where it is above `limit`.
 */
double btb_misfit(const struct btb_misfit *m, const struct btb_part *one, const struct btb_part *two, double limit,
                  double costs[BTB_PATTERNS][BTB_COSTS]);
/* Whether a level is shown by one spacing alone: that may cost what it does for reasons of its own. */
bool btb_misfit_lonely(const struct btb_misfit *m, const struct btb_part *one, const struct btb_part *two);
/* The most that chance explains. */
double btb_misfit_expected(const struct btb_misfit *m);
/* The share of the worst point, at these costs. */
double btb_misfit_worst(const struct btb_misfit *m, const struct btb_part *one, const struct btb_part *two,
                        double costs[BTB_PATTERNS][BTB_COSTS]);

#endif
