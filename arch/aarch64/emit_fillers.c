/*
 * Fillers for AArch64.
 *
 * Encodings: Arm ARM DDI 0487, C6.2, C7.2 and, of SVE, C8.2 under the names given beside them.
 */
#include "arch/aarch64/encode.h"
#include "arch/emit_fillers_private.h"

const struct emit_filler emit_fillers[] = {
    {"nop", FILLER_NOTHING, 32, 0, false},
    {"move", FILLER_NOTHING, 0, 0, true},
    {"zero", FILLER_NOTHING, 0, 0, false},
    {"int64", FILLER_GENERAL, 64, 0, true},
    {"int32", FILLER_GENERAL, 32, 0, true},
    {"multiply", FILLER_PRODUCT, 64, 0, true},
    {"flags", FILLER_FLAGS, 0, 0, true},
    {"scalar", FILLER_VECTOR, 64, 128, true},
    {"v128", FILLER_VECTOR, 128, 128, true},
    {"load-64", FILLER_LOAD, 64, 0, true},
    {"load-v128", FILLER_LOAD, 128, 128, false},
    {"store-8", FILLER_STORE, 8, 0, true},
    {"store-64", FILLER_STORE, 64, 0, true},
    {"store-v128", FILLER_STORE, 128, 128, true},
    {"store-target", FILLER_TARGET, 64, 0, true},
    {"branch", FILLER_BRANCH, 0, 0, true},
    {"jump", FILLER_JUMP, 0, 0, false},
    {"scalable", FILLER_VECTOR, 128, FILLER_SCALABLE, false},
    {"mask", FILLER_MASK, 0, FILLER_SCALABLE, false},
    {.name = NULL},
};

enum { FIRST_TARGET = 3, SECOND_SOURCE = 7 }; /* of vector registers */

void emit_filler_computing(struct code *c, const struct emit_filler *f, unsigned target, enum reg general,
                           enum vreg vector)
{
    const enum reg to = (enum reg)(REG_T3 + target);

    if (f->class == FILLER_GENERAL) /* ADD (shifted register), 64 or 32 bits */
        append(c, (f->bits == 64 ? 0x8b000000 : 0x0b000000) | rm(c, general) | rn(c, REG_T7) | rd(c, to), WORK_PLAIN);
    else if (f->class == FILLER_PRODUCT) /* MUL = MADD with XZR */
        append(c, 0x9b007c00 | rm(c, REG_T7) | rn(c, general) | rd(c, to), WORK_PLAIN);
    else if (f->class == FILLER_TARGET) /* STR (register), LSL #3 */
        append(c, 0xf8207800 | rm(c, general) | rn(c, REG_T8) | rd(c, REG_T7), WORK_STORE);
    else if (f->class == FILLER_MASK) /* AND (predicates), zeroing, of P6 and P7; those behind P3 may be the caller's */
        append(c, 0x25004000 | 7 << 16 | 6 << 10 | 6 << 5 | target, WORK_PLAIN);
    else if (f->vector_bits == FILLER_SCALABLE) /* ADD (vectors, unpredicated), D */
        append(c, 0x04e00000 | SECOND_SOURCE << 16 | field(c, vector, VREGS, 5) | (FIRST_TARGET + target), WORK_PLAIN);
    else if (f->class == FILLER_VECTOR) /* FADD (scalar), double; ADD (vector), 2D */
        append(c,
               (f->bits == 64 ? 0x1e602800 : 0x4ee08400) | SECOND_SOURCE << 16 | field(c, vector, VREGS, 5) |
                   (FIRST_TARGET + target),
               WORK_PLAIN);
    else if (f->bits)
        emit_nop(c, f->bits / 8);
    else if (f->waits)
        emit_move(c, to, general);
    else
        emit_constant(c, to, 0);
}

/* ADD (vector), 2D; or MOVI, 2D, of 0. The lower halves of V8 to V15 are the caller's (AAPCS64, 6.1.2). */
void emit_filler_hold(struct code *c, unsigned vector_bits, unsigned bits, bool cleared)
{
    (void)vector_bits, (void)bits;
    for (unsigned i = 0; i < 32; i++)
        if (i < 8 || i > 15)
            append(c, cleared ? 0x6f00e400 | i : 0x4ee08400 | SECOND_SOURCE << 16 | VREG_6 << 5 | i, WORK_PLAIN);
}
