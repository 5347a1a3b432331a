/* Nanoseconds of a kernel without reference chains: of memory, and on any core, whatever the meter was calibrated on. */
#ifndef FATHOM_LIB_PROBE_KERNEL_NS_H
#define FATHOM_LIB_PROBE_KERNEL_NS_H

#include "lib/probe/probe.h"

/*
 * Sets *ns to the nanoseconds of an iteration of a kernel on the core in use: the median of the readings of an undisturbed
 * window, behind one that warms up (profile smoke: there is none). NaN where all were disturbed. False: the probe is over.
 */
bool kernel_ns(struct probe *p, const struct kernel *k, uint64_t iterations, double *ns);

#endif
