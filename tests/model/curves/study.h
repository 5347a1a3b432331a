/*
 * Studies: one structure and several experiments on it, some of which measure something else instead, such as what a
 * prefetcher or an instruction filler makes of it: the experiment's confounder. From all of them the engine decides
 * one finding with a grade.
 *
 * All experiments with the same confounder are misled together. Two different confounders never mislead alike: that
 * could not be noticed.
 */
#ifndef FATHOM_TESTS_MODEL_CURVES_STUDY_H
#define FATHOM_TESTS_MODEL_CURVES_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/model/curves/trial.h"

enum { EXPERIMENTS = 6 };

struct drawn_experiment {
    struct trial trial;
    const char *confounder; /* what can mislead it */
    double occupied;        /* entries of the structure that the experiment needs for itself */
    double shows;           /* the last x of its curve that fits; NaN: its curve has no knee */
    bool misled;
};

struct study {
    bool exists; /* the structure */
    double truth;
    struct drawn_experiment experiments[EXPERIMENTS];
    size_t count;
    bool sound; /* it exists, nothing is misled, each knee is identifiable, and there are at least two confounders */
};

/* The same study for the same seed and number. */
void study_draw(struct study *s, uint64_t seed, uint64_t number);
void study_free(struct study *s);

#endif
