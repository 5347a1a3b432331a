/*
 * Draws curves with known truth, and says from the truth alone what of it can be found.
 *
 * Identifiable is a knee whose rise within four steps past the last good x is at least four times the standard
 * deviation of one sample, everything included, with four points of the coarse grid (of the full grid, where that
 * is given) between it and its neighbours and the ends of the range. That holds for steps and steep ramps. Of a
 * structure that is asked for by its half height, the whole step counts, and both levels must be there. What
 * falls short of this is told apart by why, and only counted:
 *   gradual   the step as a whole would do, but what happens just past the capacity drowns in noise
 *   tight     too few points on one side
 *   weak      the whole step is below four sigma
 *   hurried   there is no budget for more than a few hundred samples
 */
#ifndef FATHOM_TESTS_MODEL_CURVES_TRIAL_H
#define FATHOM_TESTS_MODEL_CURVES_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/engine/knee.h"
#include "lib/engine/search.h"
#include "tests/model/curves/curve.h"

enum class {
    CLASS_STEPS,
    CLASS_CLOSE,
    CLASS_RAMPS,
    CLASS_CACHE,
    CLASS_HASHED,
    CLASS_RANDOM,
    CLASS_FRAMES,
    CLASS_TLB,
    CLASS_BTB,
    CLASS_WINDOW,
    CLASS_RETURNS,
    CLASS_STAIRS,
    CLASS_NOTHING,
    CLASSES,
};
extern const char *const class_names[CLASSES];

enum standing { IDENTIFIABLE, GRADUAL, TIGHT, WEAK, HURRIED, STANDINGS };
extern const char *const standing_names[STANDINGS];

struct truth {
    double last_good;
    double first, last; /* where y is half way up: once, and for good; where that is asked */
    bool by_half;
    enum standing standing;
    double step, sigma;
};

struct trial {
    enum class class;
    struct curve curve;
    struct search plan; /* kind, range, grain, budget */
    bool grid;          /* also once as a table that somebody else measured: */
    unsigned passes;    /* so many times along the axis, forth and back, */
    bool shuffled;      /* or as often all over it, in an order of its own each time */
    double *x;          /* at these */
    size_t count;
    struct truth searched[STRUCTURES], given[STRUCTURES]; /* what there is, for either way */
};

/* The same for the same seed and number. */
void trial_draw(struct trial *c, uint64_t seed, uint64_t number);
/*
 * One experiment on one structure: its curve changes once, past `capacity`, or not at all where that is NaN. Range
 * and kind are the plan's, and have to be there.
 */
void trial_ask(struct trial *c, double capacity, uint64_t *random);
void trial_free(struct trial *c);

#endif
