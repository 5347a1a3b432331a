/*
 * Holds verdicts against the truth, and adds up how often they were right, by class of structure and by noise.
 *
 * A knee belongs to the truth that lies in its interval, else to the nearest. What belongs to none is extra: a
 * number where nothing is.
 */
#ifndef FATHOM_TESTS_MODEL_CURVES_SCORE_H
#define FATHOM_TESTS_MODEL_CURVES_SCORE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/engine/knee.h"
#include "tests/model/curves/trial.h"

struct numbers {
    double *all;
    size_t count, room;
};
void numbers_add(struct numbers *n, double value);
/* NaN where there are none. */
double numbers_quantile(struct numbers *n, double q);

struct tally {
    size_t trials, truths[STANDINGS], inside[STANDINGS], outside[STANDINGS]; /* the rest is undecided */
    size_t extra;                                                            /* knees that no truth belongs to */
    size_t agreed, misagreed;      /* both views say so; though the truth is elsewhere */
    size_t levels, off;            /* heights of levels where all knees are found; more than two sigma from the truth */
    size_t ragged;                 /* monotone said of a curve that is not, or the opposite */
    struct numbers width;          /* of intervals of what is identifiable, in steps */
    struct numbers miss;           /* by how many steps intervals of gradual rises are off; 0 inside */
    struct numbers share, samples; /* points of the full grid, and samples taken */
};

/* What one verdict came to. */
struct marks {
    size_t outside, undecided, extra; /* of what is identifiable */
};

/* `taken` is NULL where a table was given. */
struct marks tally_add(struct tally *t, const struct trial *c, const struct truth *truths, const struct verdict *v,
                       const struct search *taken);
void tally_free(struct tally *t);

#endif
