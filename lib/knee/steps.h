/*
 * KNEE_STEP: any number of levels, each left by a step or a ramp. docs/METHODS.md, 2.4.
 *
 * The curve is cut into pieces of straight line (lib/knee/segment.h), and each piece is classified: a level, which is
 * flat or nearly so, or part of a rise. What lies between two levels is a rise (lib/knee/rise.h). A rise that proves to
 * be no knee by itself is joined with the one beside it.
 */
#ifndef FATHOM_LIB_KNEE_STEPS_H
#define FATHOM_LIB_KNEE_STEPS_H

#include <stdbool.h>

#include "lib/knee/curve.h"
#include "lib/knee/knee.h"

/* Stores the knees, the reason where there is none, and whether y ever falls. False when memory is short. */
bool decide_steps(const struct curve *c, struct verdict *out);

#endif
