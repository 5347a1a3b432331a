/* Intel's architectural performance monitoring. */
#ifndef FATHOM_ARCH_X86_64_COUNTERS_INTEL_H
#define FATHOM_ARCH_X86_64_COUNTERS_INTEL_H

#include "arch/counters_private.h"

/* Does what counters_find does, on Intel's cores. False: nothing can be counted, and out->why_not says why. */
bool intel_find(const struct access *a, struct counters *out);

/* How Intel's counters are programmed. */
extern const struct counter_driver intel_counters;

#endif
