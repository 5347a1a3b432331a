/* Apple's performance counters. */
#ifndef FATHOM_ARCH_AARCH64_COUNTERS_APPLE_H
#define FATHOM_ARCH_AARCH64_COUNTERS_APPLE_H

#include "arch/counters_private.h"

/* counters_find for these. False: nothing can be counted, and out->why_not says why. */
bool apple_find(const struct access *a, struct counters *out);

extern const struct counter_driver apple_counters;

#endif
