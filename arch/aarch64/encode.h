/*
 * How one instruction of AArch64 is encoded, for the emitters; only they include this. Arm ARM DDI 0487, C4.1.
 */
#ifndef FATHOM_ARCH_AARCH64_ENCODE_H
#define FATHOM_ARCH_AARCH64_ENCODE_H

#include <string.h>

#include "arch/emit_private.h"

/* Emits one instruction, `word`, with the work that it does. */
static inline void append(struct code *c, uint32_t word, struct work work)
{
    const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
    uint8_t *const at = code_take(c, sizeof bytes, work);

    if (at)
        memcpy(at, bytes, sizeof bytes);
}

/*
 * A register's number, placed at `bit` of an instruction. The code becomes invalid where it is not below `limit`. Rd
 * and Rt are bits 4:0, Rn 9:5, Rm 20:16.
 */
static inline uint32_t field(struct code *c, unsigned number, unsigned limit, unsigned bit)
{
    return code_require(c, number < limit) ? number << bit : 0;
}

/* General register r as Rd or Rt. */
static inline uint32_t rd(struct code *c, enum reg r)
{
    return field(c, r, REGS, 0);
}

/* General register r as Rn. */
static inline uint32_t rn(struct code *c, enum reg r)
{
    return field(c, r, REGS, 5);
}

/* General register r as Rm. */
static inline uint32_t rm(struct code *c, enum reg r)
{
    return field(c, r, REGS, 16);
}

/*
 * A signed immediate of `width` bits, placed at `bit` of an instruction. The code becomes invalid where it does not
 * fit.
 */
static inline uint32_t immediate(struct code *c, int64_t value, unsigned width, unsigned bit)
{
    const int64_t limit = INT64_C(1) << (width - 1);
    const uint32_t mask = (UINT32_C(1) << width) - 1;
    return code_require(c, value >= -limit && value < limit) ? ((uint32_t)value & mask) << bit : 0;
}

#endif
