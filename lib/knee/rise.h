/*
 * One rise from a level to the next: where it begins, where its half-rise is, and how sure that is. docs/METHODS.md,
 * 2.4.
 *
 * The model is a level, a straight ramp and a level. It is fitted for each point at which the ramp may begin and each
 * one at which it may end, or, where these are many, for some of them and then for those around the best one; a step is
 * a ramp of no length. Beginnings whose sum of squares is near the best one form the interval (profile likelihood; Bai
 * and Perron 1998). Where the rise is no straight ramp, the longest straight part at its foot gives its beginning, and
 * its middle part the half-rise.
 */
#ifndef FATHOM_LIB_KNEE_RISE_H
#define FATHOM_LIB_KNEE_RISE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/knee/curve.h"
#include "lib/knee/knee.h"

/* A section of the curve in which y rises from one level to the next, or to the end of the curve. */
struct rise {
    size_t first, end;    /* the section, with the points of both levels: first … end - 1 */
    size_t from, to;      /* the rise begins at or after point `from` and has ended at or before `to`; to <= end */
    bool slope_before;    /* the level before may slope */
    bool slope_after;     /* the level after may slope */
    bool open;            /* the rise has not ended at point end - 1 */
    bool hidden;          /* there may be no level before it: the curve rises from its first point on */
    bool jump;            /* one of two levels that may bend and step a little themselves */
    bool not_smooth;      /* it has been shown already that no smooth curve explains it */
    double before, after; /* heights of the levels; NaN: those of the fitted ramp */
};

/* One fit: point `good` is the last one before the rise, point `bad` the first one after it. */
struct ramp_fit {
    size_t good, bad;
    double cost;       /* sum of squares with the prices of its parameters, in variances; infinite: it does not rise */
    double begin, end; /* x at which the ramp begins and ends */
    double before, after; /* heights there */
    bool jumps;           /* no ramp: a jump to a line that rises up to the end of the section */
};

/* The best fit of a rise, and the range of beginnings that are nearly as good. */
struct rise_fit {
    struct ramp_fit best;
    size_t low, high; /* first and last point that may be the last good one */
    size_t end;       /* the points before this one were fitted */
    double excess; /* sum of squares for each point of the ramp, in variances: much above 1 where it is not straight */
};

/* Finds the best fit of a rise. fit->best.cost is infinite where y does not rise. */
void rise_fit(const struct curve *c, const struct rise *r, struct rise_fit *fit);
/*
 * Describes a rise in *out as a knee; `fit` is what rise_fit finds, or NULL: then it is fitted here. False where it is
 * none: y does not rise, a smooth curve or the slopes of the levels on its sides explain it as well, or it may begin at
 * the first point. *good becomes false when memory is short.
 */
bool rise_decide(const struct curve *c, const struct rise *r, const struct rise_fit *fit, struct knee *out, bool *good);

#endif
