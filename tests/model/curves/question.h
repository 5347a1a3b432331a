/*
 * Questions: one structure, several experiments on it, some of them fooled by what they can be fooled by. What the
 * engine makes of them is one finding with a grade.
 *
 * All experiments that the same thing could fool are fooled together. Two things never fool alike: that nobody
 * could know.
 */
#ifndef FATHOM_TESTS_MODEL_CURVES_QUESTION_H
#define FATHOM_TESTS_MODEL_CURVES_QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/model/curves/trial.h"

enum { EXPERIMENTS = 6 };

struct experiment {
    struct trial trial;
    const char *fooled_by;
    double holds; /* of the structure, what the experiment itself needs */
    double shows; /* the last good x of its curve; NaN: none */
    bool fooled;
};

struct question {
    bool there;
    double truth;
    struct experiment experiments[EXPERIMENTS];
    size_t count;
    bool sound; /* it is there, nothing is fooled, each curve is identifiable, two different experiments at least */
};

/* The same for the same seed and number. */
void question_draw(struct question *q, uint64_t seed, uint64_t number);
void question_free(struct question *q);

#endif
