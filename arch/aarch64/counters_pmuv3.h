/* Arm's performance monitors, PMUv3. */
#ifndef FATHOM_ARCH_AARCH64_COUNTERS_PMUV3_H
#define FATHOM_ARCH_AARCH64_COUNTERS_PMUV3_H

#include "arch/counters_private.h"

/* counters_find for these. False: nothing can be counted, and out->why_not says why. */
bool pmuv3_find(const struct access *a, struct counters *out);

extern const struct counter_driver pmuv3_counters;

#endif
