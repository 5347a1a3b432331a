/*
 * Half-rise of a ramp whose two ends are known. docs/METHODS.md, 4.5.
 *
 * A structure that overflows by chance, as a hashed one does, has no edge; the x at which half of it is lost is as
 * sharp as the points are close. The level is the y of the first point. The y where everything is lost was measured
 * separately, so that the curve need not reach it. The level ends with the last point up to which less than RESIDENT of
 * the rise is lost; the ramp ends where no more than that is left to lose, or with the last point. The half-rise lies
 * between the last point before y first exceeds half and the first point after y was last below half: these are
 * neighbours, unless noise makes the curve cross half several times.
 */
#ifndef FATHOM_LIB_KNEE_HALF_RISE_H
#define FATHOM_LIB_KNEE_HALF_RISE_H

#include "lib/knee/search.h"

/*
 * Replaces s->verdict of a finished search (search_run) by one with a single knee and without levels: the half-rise,
 * its interval, and the two ends of the ramp. `lost` is the y that was measured where everything is lost.
 *
 * There is no knee, and the verdict has this reason, where
 *   TOO_FEW_POINTS  the search has no points
 *   NOISE           the first point has no y, or its y is not below `lost`
 *   NOT_LEFT        the curve does not reach half of the rise and stay there, or ends below the part REACHED of it
 * There is a knee, but the reason is NOISE, where the ends of the half-rise's interval differ by more than a factor of
 * CROSSED_WITHIN, as they may where the curve crosses half of the rise several times.
 */
void half_rise_decide(struct search *s, double lost);

#endif
