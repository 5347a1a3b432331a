/*
 * Points of the profile simulated: the core is a simulated one. Nothing else runs on it, its clock is constant, and
 * measurements repeat exactly, but it executes only some hundred thousand instructions per second of real time. So the
 * core clock is calibrated once, readings are as short as the step of the time stamp allows, and two equal readings
 * make a point. docs/METHODS.md, 1.11.
 *
 * For lib/measure alone.
 */
#ifndef FATHOM_LIB_MEASURE_EXACT_H
#define FATHOM_LIB_MEASURE_EXACT_H

#include "lib/measure/meter.h"

/* What meter_start and meter_measure do in this profile. */
struct window_result exact_start(struct meter *m);
struct window_result exact_measure(struct meter *m, const struct kernel *k, struct point *out);

#endif
