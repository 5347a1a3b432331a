/*
 * A line that becomes steeper: return stack.
 *
 * The line is left where all that follows lies above it (lib/engine/segment.h gives the pieces). Every point there is
 * tried as the last one of the line; what follows is a steeper line that begins in it, or one that begins with a jump.
 * Points on either side scatter about their line as they do: past their depth stacks are not as regular as before.
 * Points whose likelihood is near the best one's make the interval.
 */
#ifndef FATHOM_LIB_ENGINE_SLOPE_H
#define FATHOM_LIB_ENGINE_SLOPE_H

#include <stdbool.h>

#include "lib/engine/curve.h"
#include "lib/engine/knee.h"

/* Its knee, the reason where there is none. False when memory is short. */
bool decide_slope(const struct curve *c, struct verdict *out);

#endif
