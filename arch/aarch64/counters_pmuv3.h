/* Arm's performance monitors, PMUv3. */
#ifndef FATHOM_ARCH_AARCH64_COUNTERS_PMUV3_H
#define FATHOM_ARCH_AARCH64_COUNTERS_PMUV3_H

#include "arch/counters_private.h"

/* Does what counters_find does, on a core with PMUv3. False: nothing can be counted, and out->why_not says why. */
bool pmuv3_find(const struct access *a, struct counters *out);

/* How PMUv3's counters are programmed. */
extern const struct counter_driver pmuv3_counters;

#endif
