/*
 * KNEE_SLOPE: a line that becomes steeper. docs/METHODS.md, 2.4.
 *
 * The line is left where all pieces that follow lie above it (lib/knee/segment.h makes the pieces). Every point of it
 * and of the next piece is tried as the last one on the line; behind it comes a steeper line that begins there, or
 * one that begins with a jump. Each side has its own scatter: behind its depth, for example, a return stack is less
 * regular than before. Points that are nearly as likely as the best one form the interval.
 */
#ifndef FATHOM_LIB_KNEE_SLOPE_H
#define FATHOM_LIB_KNEE_SLOPE_H

#include <stdbool.h>

#include "lib/knee/curve.h"
#include "lib/knee/knee.h"

/* Stores the knee, or the reason where there is none. False when memory is short. */
bool decide_slope(const struct curve *c, struct verdict *out);

#endif
