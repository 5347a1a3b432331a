/*
 * Points on a simulated core: profile simulated. Nothing else runs there, nothing changes its clock, and it repeats
 * exactly, but it executes some hundred thousand instructions a second. So the core clock is calibrated once, readings
 * are as short as the step of the time stamp allows, and two equal ones end a point. docs/METHODS.md, 1.11.
 *
 * For lib/measure alone.
 */
#ifndef FATHOM_LIB_MEASURE_EXACT_H
#define FATHOM_LIB_MEASURE_EXACT_H

#include "lib/measure/meter.h"

/* As meter_start, meter_measure. */
struct window_result exact_start(struct meter *m);
struct window_result exact_measure(struct meter *m, const struct kernel *k, struct point *out);

#endif
