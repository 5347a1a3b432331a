/* Intel's architectural performance monitoring. */
#ifndef FATHOM_ARCH_X86_64_COUNTERS_INTEL_H
#define FATHOM_ARCH_X86_64_COUNTERS_INTEL_H

#include "arch/counters_private.h"

/* counters_find for this vendor. False: nothing can be counted, and out->why_not says why. */
bool intel_find(const struct access *a, struct counters *out);

extern const struct counter_driver intel_counters;

#endif
