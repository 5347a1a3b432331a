/* Caches and TLBs as CPUID describes them. */
#ifndef FATHOM_ARCH_X86_64_IDENTIFY_CACHES_H
#define FATHOM_ARCH_X86_64_IDENTIFY_CACHES_H

#include "arch/identify.h"
#include "arch/x86_64/identify_cpuid.h"

/* Does what identify_caches does, from any source of CPUID: returns how many caches it wrote, at most `room`. */
size_t identify_caches_from(cpuid_source *ask, struct identity_cache *out, size_t room);
/* Does what identify_tlbs does, from any source of CPUID: returns how many it wrote, at most `room`. */
size_t identify_tlbs_from(cpuid_source *ask, struct identity_tlb *out, size_t room);

#endif
