/*
 * Measuring where it matters: walks an axis coarsely, sees where levels change, narrows each change down to one
 * step, and stops when that is done or the budget is spent.
 *
 *   coarse grid     logarithmic or linear, each x twice, the second pass at another time than the first; where
 *                   repetitions are equal to the last digit nothing is measured a third time
 *   extension       the range grows while its last level has not been left, up to `limit`
 *   bisection       between the points on either side of a change; at each middle x samples are taken until a
 *                   sequential test (Wald 1945) knows to which side it belongs
 *   guard           a few x drawn at random on each side, where the curve should be flat: what does not fit
 *                   becomes a change to be looked at, since not every curve is monotonic; more of them where samples
 *                   repeat exactly, and a wave between the points of the grid is no noise
 *   confirmation    points on both sides of each knee again, at a later time, in turn, so that what lives in time raises
 *                   all of them: of a step two, of a bend three on its lines; some of the budget is kept for this.
 *                   Where its samples move an edge, that is narrowed down and looked at again
 *   verdict         knee_decide_searched over all points, without what was refuted; what was not confirmed is not
 *                   `agreed`
 *
 * It knows nothing of kernels: a sample is one call of `sample`, and tests/model puts modelled curves there.
 */
#ifndef FATHOM_LIB_ENGINE_SEARCH_H
#define FATHOM_LIB_ENGINE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/engine/knee.h"

/* What was sampled at one x. */
struct search_point {
    double x;
    double y;         /* what the samples say together: their median */
    unsigned samples; /* taken, with those that gave nothing */
    double *sample;   /* those that gave something, in the order of time; `kept` of them */
    unsigned kept;
    bool walked; /* of the coarse grid: the first sample is of the first pass, the second one of the second */
};

/* What came of looking at a knee for a second time. */
enum look { OPEN, CONFIRMED, REFUTED };
struct look_again {
    double low, high;
    enum look look;
};

struct search {
    enum knee_kind kind;
    double from, to;     /* the coarse grid; multiples of grain */
    double limit;        /* the range may grow to this; <= to: it may not */
    double grain;        /* x are multiples of it: one step */
    unsigned per_octave; /* coarse points in an octave, a power of two; 0: linear, */
    unsigned coarse;     /* with so many coarse points, at least 4 */
    double resolution;   /* relative: points of one level may differ so much for reasons of their own; 0: not at all */
    bool halves;         /* knees may be wide ramps, half way up is what is asked: narrow that down too */
    unsigned budget;     /* samples at most; when they are spent, the intervals are as wide as they are */
    uint64_t random;     /* state for random_next: the guard's choice */
    /*
     * One sample at x; *y NaN where no reading was accepted. False ends the search at once: nothing can be measured any
     * more.
     */
    bool (*sample)(void *context, double x, double *y);
    void *context;

    /* Results */
    struct search_point *points; /* ascending in x; freed by search_free */
    size_t count, room;
    double reached; /* the largest x sampled */
    unsigned taken; /* samples */
    double grid;    /* points that a full sweep of [from, reached] in steps of grain would have */
    bool spent;     /* the budget ended it */
    struct verdict verdict;

    /* Of the search itself */
    unsigned share;    /* samples when the knee at hand has had its share */
    unsigned reserved; /* samples kept for the confirmation */
    struct look_again looks[KNEES_MAXIMUM];
    size_t look_count;
};

/* False when `sample` ended it or memory is short; the points so far are there, the verdict is not. */
bool search_run(struct search *s);
void search_free(struct search *s);

#endif
