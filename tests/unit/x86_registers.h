/*
 * Stands in for arch/x86_64/own/instructions.h: the same functions on modelled registers, so that
 * privileged code runs in a test. The test includes this first, then the C file it is about.
 */
#ifndef FATHOM_TESTS_UNIT_X86_REGISTERS_H
#define FATHOM_TESTS_UNIT_X86_REGISTERS_H
#define FATHOM_ARCH_X86_64_OWN_INSTRUCTIONS_H /* in its place */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GENERAL_REGISTERS

#define CR0_WP (1u << 16)
#define CR4_CET (1u << 23)
#define EFER_NXE (1u << 11)

#define RFLAGS_FIXED (1u << 1)
#define RFLAGS_IF (1u << 9)

#define MSR_APIC_BASE 0x1b
#define MSR_SMI_COUNT 0x34
#define MSR_MCG_STATUS 0x17a
#define MSR_TSC_DEADLINE 0x6e0
#define MSR_EFER 0xc0000080

struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

/* Each test that includes this defines what it needs of these. */
struct cpuid cpuid(uint32_t leaf, uint32_t subleaf);
struct cpuid cpuid_known(uint32_t leaf, uint32_t subleaf);
uint64_t read_msr(uint32_t index);
void write_msr(uint32_t index, uint64_t value);
uint64_t read_cr0(void);
void write_cr0(uint64_t value);
uint64_t read_cr2(void);
uint64_t read_cr3(void);
void write_cr3(uint64_t value);
uint64_t read_cr4(void);
void write_cr4(uint64_t value);
uint64_t read_rflags(void);
void interrupts_off(void);
void interrupts_on(void);
void interrupts_let_in(void);

#endif
