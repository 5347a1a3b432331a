/*
 * KNEE_SLOPE: a line that becomes steeper. docs/METHODS.md, 2.4.
 *
 * The line is left where all pieces that follow lie above it (lib/knee/segment.h makes the pieces). Every point of it
 * and of the next piece is tried as the last one on the line; it is followed by a steeper line that begins there, or by
 * one that begins with a jump. Each side has its own scatter: a return stack, for example, is less regular where its
 * depth is exceeded. Points that are nearly as likely as the best one form the interval.
 */
#ifndef FATHOM_LIB_KNEE_SLOPE_H
#define FATHOM_LIB_KNEE_SLOPE_H

#include <stdbool.h>

#include "lib/knee/curve.h"
#include "lib/knee/knee.h"

/*
 * Decides about a curve of KNEE_SLOPE, of at least POINTS_AT_LEAST points: stores its knee, or the reason why there is
 * none, in *out. False when memory is short.
 */
bool decide_slope(const struct curve *c, struct verdict *out);

#endif
