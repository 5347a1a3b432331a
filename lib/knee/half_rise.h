/*
 * Half-rise of a ramp whose two ends are known. docs/METHODS.md, 4.5.
 *
 * A structure that overflows by chance, as a hashed one does, has no edge; the x at which half of it is lost is as
 * sharp as the points are close. The level is the y of the first point. The y where everything is lost was measured
 * separately, so that the curve need not reach it. The level ends with the last point up to which less than RESIDENT
 * of the rise is lost; the ramp ends where no more than that is left to lose, or with the last point. The half-rise
 * lies between the first point above half and the last one below it: neighbours, unless noise makes the curve cross
 * half several times.
 */
#ifndef FATHOM_LIB_KNEE_HALF_RISE_H
#define FATHOM_LIB_KNEE_HALF_RISE_H

#include "lib/knee/search.h"

/*
 * Replaces the verdict of a search that has ended by one knee: the half-rise, its interval, and the ends of the ramp.
 * `lost` is y where everything is lost. Without a knee the reason is NOT_LEFT where half is not reached, or where the
 * last point that has a y is below REACHED of the rise; NOISE where the first point is not below `lost` or has no y;
 * TOO_FEW_POINTS where there is none. NOISE is also the reason, beside the knee, where half is crossed at x more than a
 * factor of CROSSED_WITHIN apart.
 */
void half_rise_decide(struct search *s, double lost);

#endif
