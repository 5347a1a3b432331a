/* Caches and TLBs as CPUID describes them. */
#ifndef FATHOM_ARCH_X86_64_IDENTIFY_CACHES_H
#define FATHOM_ARCH_X86_64_IDENTIFY_CACHES_H

#include "arch/identify.h"
#include "arch/x86_64/identify_cpuid.h"

/* identify_caches and identify_tlbs, from any source of CPUID. Return how many; at most room are written. */
size_t identify_caches_from(cpuid_source *ask, struct identity_cache *out, size_t room);
size_t identify_tlbs_from(cpuid_source *ask, struct identity_tlb *out, size_t room);

#endif
