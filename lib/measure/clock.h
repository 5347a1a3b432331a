/* The frequency of the core clock, by the reference chain against the time stamp. */
#ifndef FATHOM_LIB_MEASURE_CLOCK_H
#define FATHOM_LIB_MEASURE_CLOCK_H

#include <stdbool.h>

#include "lib/measure/meter.h"

/* Keeps the core busy for `seconds`, so that its clock settles at a new setting. False when a window did not run. */
bool clock_settle(const struct meter *m, double seconds);
/* The core clock now, in Hz; NaN where no window ran undisturbed. */
double clock_now(const struct meter *m);

#endif
