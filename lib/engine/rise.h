/*
 * One rise from a level to the next: where does it begin, where is it half way up, and how sure is that?
 *
 * Level, straight ramp, level is fitted for every point at which the ramp may begin and every one at which it may end,
 * a step being a ramp of no length. Beginnings whose sum of squares is near the best one's make the interval (profile
 * likelihood; Bai, Perron: Estimating and testing linear models with multiple structural changes, Econometrica 66,
 * 1998, for the breaks). Where a straight ramp is not the whole truth the longest part of it that is straight tells
 * where it begins, and its middle part where half of it is.
 */
#ifndef FATHOM_LIB_ENGINE_RISE_H
#define FATHOM_LIB_ENGINE_RISE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/engine/curve.h"
#include "lib/engine/knee.h"

enum { RISE_MARGIN = 16 /* points of either level among which a rise may begin or end */ };

/* What a rise that takes more than one step must gain over one that does: it has a parameter more. */
static const double RAMP_PRICE = 6;
/* Beginnings of ramps within this of the best sum of squares stay in the interval: levels are told by few points, and
 * that ramps are straight is assumed. */
static const double WITHIN_RAMP = 13;
/* Sum of squares for a point, in variances, up to which a ramp is a straight one. */
static const double STRAIGHT = 2;

/* A stretch of the curve in which y rises from one level to the next, or to the end. */
struct rise {
    size_t first, end; /* points of both levels and what is between: first … end - 1 */
    size_t from, to;   /* the rise begins at or after point `from` and has ended at or before `to`; to <= end */
    bool slope_before, slope_after;
    bool open;            /* it has not ended at point end - 1 */
    bool hidden;          /* there may be no level before it */
    bool window;          /* it is known that no smooth curve explains it */
    double before, after; /* heights of the levels; NaN: as the fitted ramp has them */
};

/* A way to see it: point `good` is the last one before it, point `bad` the first one after it. */
struct cut {
    size_t good, bad;
    double cost;
    double p, q; /* the ramp between begins and ends at these x */
    double before, after;
    bool jumps; /* to a slope that goes on to the end: no ramp */
};

/* The ways to see a rise: the best one, and the range of beginnings whose best sum of squares is near it. */
struct view {
    struct cut top;
    size_t low, high; /* last good points, the first one and the last one that may be it */
    size_t end;       /* points up to this one were looked at */
    double excess; /* sum of squares for a point of the ramp, in variances: much above 1 where it is no straight one */
};

void view_rise(const struct curve *c, const struct rise *r, struct view *v);
/* Fills in a knee. False where no cut of the points rises; *good becomes false when memory is short. */
bool decide_rise(const struct curve *c, const struct rise *r, struct knee *out, bool *good);

#endif
