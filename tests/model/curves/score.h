/*
 * Compares verdicts with the truth, and counts how often they are right, by class of structure and by noise.
 *
 * A knee belongs to the truth that lies in its interval, else to the nearest one. A knee that belongs to none is
 * extra: a number where nothing is.
 */
#ifndef FATHOM_TESTS_MODEL_CURVES_SCORE_H
#define FATHOM_TESTS_MODEL_CURVES_SCORE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/knee/knee.h"
#include "tests/model/curves/trial.h"

struct numbers {
    double *all;
    size_t count, room;
};
void numbers_add(struct numbers *n, double value);
/* NaN where there are none. */
double numbers_quantile(struct numbers *n, double q);

struct tally {
    size_t trials, truths[STANDINGS], inside[STANDINGS],
        outside[STANDINGS];        /* by standing; what is neither inside nor outside of an interval is undecided */
    size_t extra;                  /* knees that belong to no truth */
    size_t agreed, misagreed;      /* knees that both views show; those of them that are wrong */
    size_t levels, off;            /* levels, where all knees are found; those more than two sigma off in height */
    size_t ragged;                 /* curves reported as monotone that are not, or the opposite */
    struct numbers width;          /* of intervals of identifiable knees, in steps */
    struct numbers miss;           /* by how many steps intervals of gradual rises miss the truth; 0: they hold it */
    struct numbers share, samples; /* points of the full grid, and samples taken */
};

/* How wrong one verdict is. */
struct marks {
    size_t outside, undecided, extra; /* outside and undecided: of identifiable truths */
};

/* Adds a verdict on a trial. `taken`: the search; NULL where a table was given. */
struct marks tally_add(struct tally *t, const struct trial *c, const struct truth *truths, const struct verdict *v,
                       const struct search *taken);
void tally_free(struct tally *t);

#endif
