/* Idioms for AArch64. Encodings: Arm ARM DDI 0487, C6.2 and C7.2 under the names given beside them. */
#include "arch/emit_idioms.h"
#include "arch/aarch64/encode.h"

enum { MOV64, MOV32, MOV_VECTOR, CONSTANT, ZERO_REGISTER };

const struct emit_idiom emit_idioms[] = {
    [MOV64] = {"mov x, x", IDIOM_MOVE},
    [MOV32] = {"mov w, w", IDIOM_MOVE},
    [MOV_VECTOR] = {"mov v, v", IDIOM_VECTOR_MOVE},
    [CONSTANT] = {"mov x, #0", IDIOM_ZERO},
    [ZERO_REGISTER] = {"mov x, xzr", IDIOM_ZERO},
    {.name = NULL},
};

void emit_idiom(struct code *c, const struct emit_idiom *i, unsigned to, unsigned from)
{
    switch (i - emit_idioms) {
    case MOV64: emit_move(c, (enum reg)to, (enum reg)from); break;
    case MOV32: /* MOV (register) = ORR Wd, WZR, Wm */
        append(c, 0x2a0003e0 | rm(c, (enum reg)from) | rd(c, (enum reg)to), WORK_PLAIN);
        break;
    case MOV_VECTOR: /* MOV (vector) = ORR Vd.16B, Vn.16B, Vn.16B */
        append(c, 0x4ea01c00 | field(c, from, VREGS, 16) | field(c, from, VREGS, 5) | field(c, to, VREGS, 0),
               WORK_PLAIN);
        break;
    case CONSTANT: emit_constant(c, (enum reg)to, 0); break;
    default: /* MOV (register) = ORR Xd, XZR, XZR */ append(c, 0xaa1f03e0 | rd(c, (enum reg)to), WORK_PLAIN);
    }
}
