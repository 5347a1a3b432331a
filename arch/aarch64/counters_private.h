/* What PMUv3's and Apple's counters have in common. */
#ifndef FATHOM_ARCH_AARCH64_COUNTERS_PRIVATE_H
#define FATHOM_ARCH_AARCH64_COUNTERS_PRIVATE_H

#include "arch/aarch64/system_registers.h"
#include "arch/counters_private.h"

/* Fill in what is there; false with out->why_not. */
bool pmuv3_find(const struct access *a, struct counters *out);
bool apple_find(const struct access *a, struct counters *out);

extern const struct counters_way pmuv3_counters, apple_counters;

/* `width` bits of a register from bit `low` on. */
static inline unsigned register_field(uint64_t value, unsigned low, unsigned width)
{
    return (unsigned)(value >> low & ONES(width));
}

/* The registers are EL2's to set (CurrentEL, bits [3:2]). */
static inline bool is_el2(const struct access *a)
{
    uint64_t level;

    return a->read(a->context, ID_CurrentEL, &level) && register_field(level, 2, 2) == 2;
}

#endif
