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

/*
 * Does for profile simulated what meter_start does: finds the reader's cost, and calibrates the core clock by the
 * reference chain. meter_start has filled in the other members of *m. The result says how the last window ended.
 */
struct window_result exact_start(struct meter *m);
/*
 * Does for profile simulated what meter_measure does: fills in *out, except out->x, from two readings of the kernel
 * that are equal, or from several that differ. The result says how the last window ended; after a fault or a timeout
 * *out is not to be used.
 */
struct window_result exact_measure(struct meter *m, const struct kernel *k, struct point *out);

#endif
