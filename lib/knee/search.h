/*
 * Measures a curve where it matters: sweeps the axis coarsely, finds where y changes, narrows each change down to one
 * step of x, and stops when that is done or the budget of samples is spent. docs/METHODS.md, 2.8.
 *
 *   coarse grid     logarithmic or linear in x, measured in two passes at different times       (search_grid.h)
 *   extension       the range grows while its last level has not been left, up to `limit`       (search_grid.h)
 *   narrowing       bisection between the last good and the first bad point of each knee; at each new x samples are
 *                   taken until a sequential test knows on which side of the knee it lies        (search_narrow.h)
 *   guard points    some x drawn at random where the curve should be flat; what does not fit there may become a
 *                   knee, since not every curve is monotone                                     (search_guard.h)
 *   confirmation    points on both sides of each knee, sampled again later and in turn. What changed with
 *                   time and not with x raises both sides by as much                            (search_confirm.h)
 *   verdict         knee_decide_searched over all points, without the knees that confirmation refuted; a knee that it
 *                   left open is not `agreed`
 *
 * The search knows nothing of kernels: a sample is one call of the function `sample`. tests/model gives it modelled
 * curves.
 */
#ifndef FATHOM_LIB_KNEE_SEARCH_H
#define FATHOM_LIB_KNEE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/knee/knee.h"

/* One x and all samples taken there. */
struct search_point {
    double x;
    double y;            /* median of the accepted samples; NaN: there is none */
    unsigned samples;    /* samples taken, including those without an accepted reading */
    double *sample;      /* accepted samples in the order of time; `kept` of them */
    unsigned kept;       /* accepted samples */
    bool on_coarse_grid; /* its first sample belongs to the first pass over the coarse grid, its second to the second */
};

/* Result of measuring a knee again at a later time. */
enum confirmation { UNCONFIRMED /* the pairs left it open */, CONFIRMED, REFUTED };
struct confirmed_interval {
    double low, high; /* the knee's interval when it was measured again */
    enum confirmation result;
};

struct search {
    /* Set by the caller */
    enum knee_kind kind;
    double from, to;     /* range of the coarse grid; multiples of step */
    double limit;        /* the range may grow up to this x, unless that is at most `to` */
    double step;         /* every x is a multiple of this; knees are narrowed down to it */
    unsigned per_octave; /* points of the coarse grid in an octave, a power of two; 0: the grid is linear */
    unsigned coarse;     /* points of a linear coarse grid, at least 4 */
    /* Part of y by which points of one level may differ beyond noise, because of their layout or their sets. */
    double resolution;
    bool narrow_half_rise; /* the half-rise of wide ramps is wanted: narrow that down, not where they begin */
    unsigned budget;       /* most samples that may be taken; when they are spent, intervals stay as wide as they are */
    uint64_t random;       /* state of random_next, which draws the guard points */
    bool repeats;          /* samples at one x repeat exactly: nothing is decided in between, and nothing confirmed */
    /* Takes one sample at x and stores it in *y; NaN where no reading was accepted. False ends the search at once. */
    bool (*sample)(void *context, double x, double *y);
    void *context;

    /* Results */
    struct search_point *points; /* ascending in x; freed by search_free */
    size_t count, room;          /* points, and points that there is memory for */
    double reached;              /* the largest x sampled */
    unsigned taken;              /* samples taken */
    double grid;                 /* points that a full sweep of [from, reached] at every step would have */
    bool spent;                  /* the budget ended the search */
    struct verdict verdict;

    /* State of the search itself */
    unsigned share;    /* number of samples taken at which the knee at hand has used its share of the budget */
    unsigned reserved; /* samples that only the confirmation may take */
    struct confirmed_interval confirmations[KNEES_MAXIMUM]; /* of the latest confirmation */
    size_t confirmation_count;
};

/*
 * Runs the search and fills in its results; where the budget is spent first, the verdict is on the points so far.
 * Results, but the verdict, and state must be zero before. False when `sample` ended it or memory is short: the points
 * so far are there, but no verdict. To be freed with search_free in either case.
 */
bool search_run(struct search *s);
/* Frees the points. The verdict stays. */
void search_free(struct search *s);

#endif
