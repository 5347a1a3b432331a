/* Identification from any source of CPUID answers, so that tests can hand in those of other cores. */
#ifndef FATHOM_ARCH_X86_64_IDENTIFY_CPUID_H
#define FATHOM_ARCH_X86_64_IDENTIFY_CPUID_H

#include "arch/identify.h"

/* EAX, EBX, ECX and EDX of a leaf. */
typedef void cpuid_source(uint32_t leaf, uint32_t subleaf, uint32_t out[4]);

void identify_core_type_from(cpuid_source *ask, char out[4]);
void identify_from(cpuid_source *ask, struct identity *id);
size_t identify_raw_from(cpuid_source *ask, struct identity_value *out, size_t room);
size_t identify_caches_from(cpuid_source *ask, struct identity_cache *out, size_t room);
size_t identify_tlbs_from(cpuid_source *ask, struct identity_tlb *out, size_t room);

#endif
