/*
 * Privileged instructions, each as a function, and the few register bits this folder uses.
 *
 * Sources: Intel SDM vol. 3A, 2.5 (control registers), 2.6 (XCR0), 2.4 (descriptor-table registers);
 * vol. 4, table 2-2 (architectural MSRs). Sections of volume 3A are numbered as since December 2023.
 */
#ifndef FATHOM_ARCH_X86_64_OWN_INSTRUCTIONS_H
#define FATHOM_ARCH_X86_64_OWN_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * For code that runs while vector registers hold a kernel's values, or before they may be used at all: makes the
 * compiler use general registers only.
 */
#define GENERAL_REGISTERS __attribute__((target("general-regs-only")))

#define CR0_MP (1u << 1)
#define CR0_EM (1u << 2)
#define CR0_TS (1u << 3)
#define CR0_WP (1u << 16)

#define CR4_MCE (1u << 6)
#define CR4_OSFXSR (1u << 9)
#define CR4_OSXMMEXCPT (1u << 10)
#define CR4_LA57 (1u << 12)
#define CR4_OSXSAVE (1u << 18)
#define CR4_CET (1u << 23)

#define XCR0_X87 (1u << 0)
#define XCR0_SSE (1u << 1)
#define XCR0_AVX (1u << 2)
#define XCR0_AVX512 (7u << 5) /* opmask, upper halves of ZMM0-15, ZMM16-31: only together */

#define RFLAGS_FIXED (1u << 1) /* always set */
#define RFLAGS_IF (1u << 9)

#define MSR_APIC_BASE 0x1b
#define MSR_SMI_COUNT 0x34
#define MSR_MCG_STATUS 0x17a
#define MSR_PAT 0x277
#define MSR_MTRR_DEF_TYPE 0x2ff
#define MSR_TSC_DEADLINE 0x6e0
#define MSR_EFER 0xc0000080
#define MSR_SEV_STATUS 0xc0010131 /* AMD APM vol. 2, 15.34.10 */

#define EFER_NXE (1u << 11)

/* What LGDT, LIDT, SGDT and SIDT take. */
struct table_register {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

/* What CPUID returns. */
struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

GENERAL_REGISTERS static inline struct cpuid cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid r;

    __asm__ volatile("cpuid" : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx) : "a"(leaf), "c"(subleaf) : "memory");
    return r;
}

/*
 * A leaf of CPUID; all zero for one that this processor does not have: Intel's return another leaf's data for a leaf
 * beyond the last.
 */
GENERAL_REGISTERS static inline struct cpuid cpuid_known(uint32_t leaf, uint32_t subleaf)
{
    if (cpuid(leaf & 0x80000000, 0).eax < leaf)
        return (struct cpuid){0, 0, 0, 0};
    return cpuid(leaf, subleaf);
}

/*
 * Defines read_NAME and write_NAME of a control register. They are always inlined: a function that switched shadow
 * stacks could not return (with_core_taken, call.c).
 */
#define CONTROL_REGISTER(name) \
    GENERAL_REGISTERS __attribute__((always_inline)) static inline uint64_t read_##name(void) \
    { \
        uint64_t value; \
        __asm__ volatile("mov %%" #name ", %0" : "=r"(value) : : "memory"); \
        return value; \
    } \
    GENERAL_REGISTERS __attribute__((always_inline)) static inline void write_##name(uint64_t value) \
    { \
        __asm__ volatile("mov %0, %%" #name : : "r"(value) : "memory"); \
    }

CONTROL_REGISTER(cr0)
CONTROL_REGISTER(cr2)
CONTROL_REGISTER(cr3)
CONTROL_REGISTER(cr4)
#undef CONTROL_REGISTER

GENERAL_REGISTERS static inline uint64_t read_xcr0(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

GENERAL_REGISTERS static inline void write_xcr0(uint64_t value)
{
    __asm__ volatile("xsetbv" : : "a"((uint32_t)value), "d"((uint32_t)(value >> 32)), "c"(0) : "memory");
}

GENERAL_REGISTERS static inline uint64_t read_msr(uint32_t index)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(index) : "memory");
    return (uint64_t)high << 32 | low;
}

GENERAL_REGISTERS static inline void write_msr(uint32_t index, uint64_t value)
{
    __asm__ volatile("wrmsr" : : "a"((uint32_t)value), "d"((uint32_t)(value >> 32)), "c"(index) : "memory");
}

GENERAL_REGISTERS static inline uint64_t read_rflags(void)
{
    uint64_t value;

    __asm__ volatile("pushfq; pop %0" : "=r"(value) : : "memory");
    return value;
}

GENERAL_REGISTERS static inline void interrupts_off(void)
{
    __asm__ volatile("cli" : : : "memory");
}

GENERAL_REGISTERS static inline void interrupts_on(void)
{
    __asm__ volatile("sti" : : : "memory");
}

/*
 * Enables interrupts for one instruction, so that pending ones are taken: STI takes effect after the instruction that
 * follows it.
 */
GENERAL_REGISTERS static inline void interrupts_let_in(void)
{
    __asm__ volatile("sti; nop; cli" : : : "memory");
}

#endif
