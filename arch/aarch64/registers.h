/*
 * System registers: how to read and write them by name, and the names the assembler of Debian 12
 * does not know, as encodings (Arm ARM DDI 0487, D19, "Accessing" of each register).
 */
#ifndef FATHOM_ARCH_AARCH64_REGISTERS_H
#define FATHOM_ARCH_AARCH64_REGISTERS_H

#include <stdint.h>

#define REGISTER_NAME(name) #name
/* The value of a system register, by its name in assembly. */
#define READ(name) \
    ({ \
        uint64_t read_value_; \
        __asm__ volatile("mrs %0, " REGISTER_NAME(name) : "=r"(read_value_)::"memory"); \
        read_value_; \
    })
/* Writes a system register, by its name in assembly. isb() must follow before the effect can be relied on. */
#define WRITE(name, value) \
    do { \
        uint64_t write_value_ = (value); \
        __asm__ volatile("msr " REGISTER_NAME(name) ", %0" ::"r"(write_value_) : "memory"); \
    } while (0)

/* Context synchronisation: later instructions see what was written to system registers before (Arm ARM, B2.6). */
static inline void isb(void)
{
    __asm__ volatile("isb" ::: "memory");
}

/* `width` bits of a register from bit `low` on. */
static inline unsigned field(uint64_t value, unsigned low, unsigned width)
{
    return (unsigned)(value >> low & ((UINT64_C(1) << width) - 1));
}

#define ID_AA64ZFR0_EL1 S3_0_C0_C4_4
#define ID_AA64SMFR0_EL1 S3_0_C0_C4_5
#define ID_AA64ISAR2_EL1 S3_0_C0_C6_2
#define ID_AA64MMFR2_EL1 S3_0_C0_C7_2
#define ZCR_EL1 S3_0_C1_C2_0
#define ZCR_EL2 S3_4_C1_C2_0

#endif
