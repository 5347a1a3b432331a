/*
 * How one instruction of x86-64 is encoded, for the emitters; only they include this. Intel SDM vol. 2A, 2.1
 * and 2.2.
 */
#ifndef FATHOM_ARCH_X86_64_ENCODE_H
#define FATHOM_ARCH_X86_64_ENCODE_H

#include "arch/emit_private.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13 };

/* ---- Building one instruction ---------------------------------------------------------------- */

struct instruction {
    uint8_t bytes[15];
    unsigned count;
};

static inline void add(struct instruction *i, uint32_t value, unsigned bytes)
{
    for (; bytes; bytes--, value >>= 8)
        i->bytes[i->count++] = (uint8_t)value;
}

static inline void append(struct code *c, const struct instruction *i, struct work work)
{
    code_append(c, i->bytes, i->count, work);
}

/* The number an instruction knows a register by. The first two are the System V ABI's arguments. */
static inline unsigned number(struct code *c, enum reg r)
{
    static const uint8_t numbers[REGS] = {
        [REG_COUNT] = RDI, [REG_DATA] = RSI, [REG_T0] = RCX, [REG_T1] = R8,  [REG_T2] = R9,  [REG_T3] = R10,
        [REG_T4] = R11,    [REG_T5] = RBX,   [REG_T6] = RBP, [REG_T7] = R12, [REG_T8] = R13,
    };
    return code_require(c, (unsigned)r < REGS) ? numbers[r] : 0;
}

/* REX.W and the opcode, one byte or 0F and a second one. R, X and B extend the three register fields. */
static inline void add_opcode(struct instruction *i, unsigned opcode, unsigned reg, unsigned index, unsigned base)
{
    add(i, 0x48 | reg >> 3 << 2 | index >> 3 << 1 | base >> 3, 1);
    if (opcode > 0xff)
        add(i, opcode >> 8, 1);
    add(i, opcode, 1);
}

static inline unsigned modrm(unsigned mod, unsigned reg, unsigned rm)
{
    return mod << 6 | (reg & 7) << 3 | (rm & 7);
}

#endif
