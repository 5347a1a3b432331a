/* The frequency of the core clock, by the reference chain against the time stamp. */
#ifndef FATHOM_LIB_MEASURE_CLOCK_H
#define FATHOM_LIB_MEASURE_CLOCK_H

#include <stdbool.h>

#include "lib/measure/meter.h"

/*
 * Keeps the core busy with reference chains for `seconds`, but for 2000 windows at most, so that its clock settles at a
 * new setting. To be called after meter_start. False when a window ended by a fault or a timeout.
 */
bool clock_settle(const struct meter *m, double seconds);
/*
 * Measures the core clock now, in Hz. To be called after meter_start. NaN where a window ended by a fault or a timeout,
 * or interrupts or SMIs disturbed all of 20 windows.
 */
double clock_now(const struct meter *m);

#endif
