/*
 * Any number of levels, each left by a step or a ramp: caches, TLBs, BTBs.
 *
 * The curve is cut into pieces of straight line (lib/engine/segment.h), and the pieces are told apart: levels, which are flat
 * or nearly so, and ramps between them. What is between two levels is a rise (lib/engine/rise.h); rises that turn out to be
 * none of their own belong to the one beside them.
 */
#ifndef FATHOM_LIB_ENGINE_STEPS_H
#define FATHOM_LIB_ENGINE_STEPS_H

#include <stdbool.h>

#include "lib/engine/curve.h"
#include "lib/engine/knee.h"

/* Knees and whether y ever falls. False when memory is short. */
bool decide_steps(const struct curve *c, struct verdict *out);

#endif
