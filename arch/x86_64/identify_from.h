/* Identification from any source of CPUID; arch/identify.h says what each returns. */
#ifndef FATHOM_ARCH_X86_64_IDENTIFY_FROM_H
#define FATHOM_ARCH_X86_64_IDENTIFY_FROM_H

#include "arch/identify.h"
#include "arch/x86_64/identify_cpuid.h"

/* Does what identify does, from any source of CPUID. */
void identify_from(cpuid_source *ask, struct identity *id);
/* Does what identify_ticks does, from any source of CPUID. */
size_t identify_ticks_from(cpuid_source *ask, struct identity_tick out[IDENTITY_TICKS]);
/* Does what identify_core_type does, from any source of CPUID. */
void identify_core_type_from(cpuid_source *ask, char out[4]);
/* Does what identify_raw does, from any source of CPUID. */
size_t identify_raw_from(cpuid_source *ask, struct identity_value *out, size_t room);

#endif
