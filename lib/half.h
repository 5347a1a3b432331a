/*
 * Half: where a ramp whose two ends are known by themselves is half way up.
 *
 * A structure that overflows by chance, as a hashed one does, has no edge; where half of it is lost is as sharp as the points
 * are close. The level is what the first point shows; what is paid when all is lost was measured apart, so that the curve
 * need not end on it. The level is left behind the last point of which, as of all before it, less than a twentieth is
 * lost, and the ramp ends where no more than that is kept, or with the last point. Half is reached between the first
 * point above and the last one below it: neighbours, unless noise makes the curve cross several times.
 */
#ifndef FATHOM_LIB_HALF_H
#define FATHOM_LIB_HALF_H

#include "lib/engine/search.h"

/*
 * Decides anew about the points of a search: its verdict becomes one knee, of which half, its interval and the ramp's ends
 * are told; `lost` is y where nothing is held. Without a reason no more: "not-left" where half is not reached,
 * or from the first point on; "noise" where it is crossed more than a factor of two apart, or the first point is no less
 * than `lost`; "too-few-points".
 */
void half_decide(struct search *s, double lost);

#endif
