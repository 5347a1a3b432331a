/* The core clock by itself: the yardstick, a chain of dependent additions, against the time stamp. */
#ifndef FATHOM_LIB_CLOCK_H
#define FATHOM_LIB_CLOCK_H

#include <stdbool.h>

#include "lib/measure.h"

/* Keeps the core busy for so long, for a clock that takes its time to follow. False when a window did not run. */
bool clock_settle(const struct meter *m, double seconds);
/* The clock now, in Hz; NaN where no window ran undisturbed. */
double clock_now(const struct meter *m);

#endif
