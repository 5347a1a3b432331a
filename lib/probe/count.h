/* Counting what a kernel causes, with the performance counters of the core. */
#ifndef FATHOM_LIB_PROBE_COUNT_H
#define FATHOM_LIB_PROBE_COUNT_H

#include "lib/probe/probe.h"

/*
 * Sets *per_unit to how many events of a need (lib/counters/events.h, "l1i_misses") one unit of the kernel causes; NaN
 * where this core or platform cannot count it. False: the kernel ended by a fault or a timeout, and the probe is over.
 */
bool probe_count(struct probe *p, const struct kernel *k, const char *need, double *per_unit);

#endif
