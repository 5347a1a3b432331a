/* Which processor this is, by CPUID as struct access reads it, for tables that differ by family, model or core. */
#ifndef FATHOM_ARCH_X86_64_CPU_H
#define FATHOM_ARCH_X86_64_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/access.h"

/* The registers in which CPUID returns a leaf. */
enum cpuid_register { CPUID_EAX, CPUID_EBX, CPUID_ECX, CPUID_EDX };

/* Which processor it is. */
struct cpu {
    char vendor; /* 'I'ntel, 'A'MD, 'H'ygon, or 0 */
    unsigned family, model;
    bool hybrid;   /* CPUID says that the processor, or others of its model, have cores of two kinds */
    char core[32]; /* as in the published values; "" when not known */
};

/* Fills in *out by CPUID, read through `a`. */
void cpu_find(const struct access *a, struct cpu *out);
/*
 * Whether counters count right only after a warm-up: Nehalem and Westmere, all models for which Linux does it
 * (arch/x86/events/intel/core.c, intel_pmu_nhm_enable_all).
 */
bool cpu_warms_up_counters(const struct cpu *cpu);
/* One register of a leaf of CPUID; 0 for a leaf that does not exist. */
uint32_t cpu_leaf(const struct access *a, uint32_t leaf, uint32_t subleaf, enum cpuid_register r);
/* One bit, 0 to 31, of one register of a leaf of CPUID; false for a leaf that does not exist. */
bool cpu_bit(const struct access *a, uint32_t leaf, uint32_t subleaf, enum cpuid_register r, unsigned bit);

#endif
