/*
 * How one instruction of x86-64 is encoded, for the emitters; only they include this. Intel SDM vol. 2A, 2.1
 * and 2.2.
 */
#ifndef FATHOM_ARCH_X86_64_ENCODE_H
#define FATHOM_ARCH_X86_64_ENCODE_H

#include <string.h>

#include "arch/emit_private.h"

/* Registers by the numbers that instructions have for them. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13 };

/* ---- Building one instruction ---------------------------------------------------------------- */

/* An instruction under construction; begins as all zero. */
struct instruction {
    uint8_t bytes[15];
    unsigned count;
};

/* Adds the lowest `bytes` bytes of `value` to the instruction, the lowest first. */
static inline void add(struct instruction *i, uint32_t value, unsigned bytes)
{
    for (; bytes; bytes--, value >>= 8)
        i->bytes[i->count++] = (uint8_t)value;
}

/*
 * Emits the instruction, with the work that it does. It is copied by its first and its last bytes, which may overlap: a
 * call of memcpy would take longer.
 */
static inline void append(struct code *c, const struct instruction *i, struct work work)
{
    const size_t n = i->count;
    uint8_t *const at = code_take(c, n, work);

    if (at && n >= 8) {
        memcpy(at, i->bytes, 8);
        memcpy(at + n - 8, i->bytes + n - 8, 8);
    } else if (at && n >= 4) {
        memcpy(at, i->bytes, 4);
        memcpy(at + n - 4, i->bytes + n - 4, 4);
    } else if (at && n > 0) {
        at[0] = i->bytes[0];
        at[n / 2] = i->bytes[n / 2];
        at[n - 1] = i->bytes[n - 1];
    }
}

/*
 * The number that instructions have for a register. The first two are the System V ABI's arguments. The code becomes
 * invalid where there is no such register.
 */
static inline unsigned number(struct code *c, enum reg r)
{
    static const uint8_t numbers[REGS] = {
        [REG_COUNT] = RDI, [REG_DATA] = RSI, [REG_T0] = RCX, [REG_T1] = R8,  [REG_T2] = R9,  [REG_T3] = R10,
        [REG_T4] = R11,    [REG_T5] = RBX,   [REG_T6] = RBP, [REG_T7] = R12, [REG_T8] = R13,
    };
    return code_require(c, (unsigned)r < REGS) ? numbers[r] : 0;
}

/*
 * Adds REX.W and the opcode, of one byte, or of 0F and a second one, to the instruction. R, X and B of REX extend the
 * three register fields `reg`, `index` and `base`.
 */
static inline void add_opcode(struct instruction *i, unsigned opcode, unsigned reg, unsigned index, unsigned base)
{
    add(i, 0x48 | reg >> 3 << 2 | index >> 3 << 1 | base >> 3, 1);
    if (opcode > 0xff)
        add(i, opcode >> 8, 1);
    add(i, opcode, 1);
}

/* The ModRM byte: mode, register field and register or memory field. */
static inline unsigned modrm(unsigned mod, unsigned reg, unsigned rm)
{
    return mod << 6 | (reg & 7) << 3 | (rm & 7);
}

#endif
