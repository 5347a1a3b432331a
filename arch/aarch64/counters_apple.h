/* Apple's performance counters. */
#ifndef FATHOM_ARCH_AARCH64_COUNTERS_APPLE_H
#define FATHOM_ARCH_AARCH64_COUNTERS_APPLE_H

#include "arch/counters_private.h"

/*
 * Does what counters_find does, on a core with Apple's counters. False: nothing can be counted, and out->why_not says
 * why.
 */
bool apple_find(const struct access *a, struct counters *out);

/* How Apple's counters are programmed. */
extern const struct counter_driver apple_counters;

#endif
