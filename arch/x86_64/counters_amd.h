/* AMD's core performance counters. */
#ifndef FATHOM_ARCH_X86_64_COUNTERS_AMD_H
#define FATHOM_ARCH_X86_64_COUNTERS_AMD_H

#include "arch/counters_private.h"

/*
 * Does what counters_find does, on AMD's and Hygon's cores. False: nothing can be counted, and out->why_not says why.
 */
bool amd_find(const struct access *a, struct counters *out);

/* How AMD's counters are programmed. */
extern const struct counter_driver amd_counters;

#endif
