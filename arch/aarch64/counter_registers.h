/* Reading system registers by number, for PMUv3 and Apple's counters. */
#ifndef FATHOM_ARCH_AARCH64_COUNTER_REGISTERS_H
#define FATHOM_ARCH_AARCH64_COUNTER_REGISTERS_H

#include "arch/aarch64/system_registers.h"
#include "arch/access.h"
#include "arch/counters_private.h"

/* The field of a register that is `width` bits wide and begins at bit `low`. */
static inline unsigned register_field(uint64_t value, unsigned low, unsigned width)
{
    return (unsigned)(value >> low & ONES(width));
}

/* Whether this code runs at EL2, where EL2's own registers can be accessed (CurrentEL, bits [3:2]). */
static inline bool is_el2(const struct access *a)
{
    uint64_t level;

    return a->read(a->context, ID_CurrentEL, &level) && register_field(level, 2, 2) == 2;
}

#endif
