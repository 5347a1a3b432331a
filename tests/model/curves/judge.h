/* What of a curve can be found, decided by the truth alone: see trial.h for the definitions. */
#ifndef FATHOM_TESTS_MODEL_CURVES_JUDGE_H
#define FATHOM_TESTS_MODEL_CURVES_JUDGE_H

#include "tests/model/curves/trial.h"

/*
 * The points of a curve that are looked at: a grid of which each x is measured, or, with x NULL, the plan's coarse
 * grid.
 */
struct points {
    const struct search *plan;
    const double *x;
    size_t count;
    double to; /* the last x */
};

/* The truth about structure i of the trial's curve, for whoever has these points. */
struct truth trial_judge(const struct trial *c, size_t i, const struct points *p);

#endif
