/*
 * Draws curves with known truth, and decides from the truth alone what of it can be found.
 *
 * A knee is identifiable when the curve rises, within four steps past the last x that fits, by at least four times the
 * standard deviation of one sample, all noise included; and when at least four points of the coarse grid, or of the
 * grid of a given table, lie between it and its neighbours and the ends of the range. That is so for steps and steep
 * ramps. Of a structure whose half-rise is looked for, the whole rise counts, and both levels must be there. Other
 * knees are counted by what is missing:
 *   gradual   the whole rise is large enough, but what the curve rises by just past the capacity is not
 *   tight     too few points on one side
 *   weak      the whole rise is below four sigma
 *   hurried   the budget allows no more than a few hundred samples
 */
#ifndef FATHOM_TESTS_MODEL_CURVES_TRIAL_H
#define FATHOM_TESTS_MODEL_CURVES_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/knee/knee.h"
#include "lib/knee/search.h"
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
    CLASS_IN_FLIGHT,
    CLASS_RETURNS,
    CLASS_STAIRCASE,
    CLASS_NOTHING,
    CLASSES,
};
extern const char *const class_names[CLASSES];

enum standing { IDENTIFIABLE, GRADUAL, TIGHT, WEAK, HURRIED, STANDINGS };
extern const char *const standing_names[STANDINGS];

struct truth {
    double last_good;
    double first, last; /* where by_half: the first x half way up, and the one from which on all are */
    bool by_half;       /* the half-rise is looked for */
    enum standing standing;
    double step, sigma; /* how much the curve rises; the standard deviation of a sample there */
};

struct trial {
    enum class class;
    struct curve curve;
    struct search plan; /* kind, range, step, budget */
    bool grid;          /* also given as a table, as another program might measure it, */
    unsigned passes;    /* in that many passes along the axis, forth and back in turn, */
    bool shuffled;      /* or in that many passes, each in a random order of its own, */
    double *x;          /* at these x */
    size_t count;
    struct truth searched[STRUCTURES], given[STRUCTURES]; /* what can be found by search, and in the table */
};

/* The same trial for the same seed and number. */
void trial_draw(struct trial *c, uint64_t seed, uint64_t number);
/*
 * One experiment on one structure: its curve changes once, past `capacity`, or not at all where that is NaN. Range and
 * kind of the plan must be set.
 */
void trial_of_experiment(struct trial *c, double capacity, uint64_t *random);
void trial_free(struct trial *c);

/* The context of trial_sample, which measures a curve for a search. */
struct sampled {
    struct curve *curve;
    const struct search *plan;
    size_t calls;
    bool off; /* an x was asked for that the plan does not have */
};
bool trial_sample(void *context, double x, double *y);

#endif
