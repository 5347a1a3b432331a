/* Idioms for AArch64. Encodings: Arm ARM DDI 0487, C6.2 and C7.2 under the names given beside them. */
#include "arch/emit_idioms.h"
#include "arch/aarch64/encode.h"

enum { MOV64, MOV32, MOV_VECTOR, CONSTANT, ZERO_REGISTER };

const struct emit_idiom emit_idioms[] = {
    [MOV64] = {"mov64", IDIOM_MOVE},
    [MOV32] = {"mov32", IDIOM_MOVE},
    [MOV_VECTOR] = {"mov-vector", IDIOM_VECTOR_MOVE},
    [CONSTANT] = {"mov64-0", IDIOM_ZERO},
    [ZERO_REGISTER] = {"mov64-zr", IDIOM_ZERO},
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

/* Compares of a constant, of a shifted and of an extended register come after those of two registers. */
enum {
    CMP_BCC,
    CMP_IMMEDIATE_BCC,
    CMP_SHIFTED_BCC,
    CMP_EXTENDED_BCC,
    CMN_BCC,
    TST_BCC,
    ADDS_BCC,
    SUBS_BCC,
    ANDS_BCC,
    ADD_CBZ,
    ADRP_ADD,
    MOVZ_MOVK,
    MUL_UMULH,
    UDIV_MSUB,
    MOV_ADD,
    NOP_NOP
};

const struct emit_pair emit_pairs[] = {
    [CMP_BCC] = {"cmp+b.cc"},
    [CMP_IMMEDIATE_BCC] = {"cmp-immediate+b.cc"},
    [CMP_SHIFTED_BCC] = {"cmp-shifted+b.cc"},
    [CMP_EXTENDED_BCC] = {"cmp-extended+b.cc"},
    [CMN_BCC] = {"cmn+b.cc"},
    [TST_BCC] = {"tst+b.cc"},
    [ADDS_BCC] = {"adds+b.cc"},
    [SUBS_BCC] = {"subs+b.cc"},
    [ANDS_BCC] = {"ands+b.cc"},
    [ADD_CBZ] = {"add+cbz"},
    [ADRP_ADD] = {"adrp+add"},
    [MOVZ_MOVK] = {"movz+movk"},
    [MUL_UMULH] = {"mul+umulh"},
    [UDIV_MSUB] = {"udiv+msub"},
    [MOV_ADD] = {"mov+add"},
    [NOP_NOP] = {"nop+nop"},
    {.name = NULL},
};

void emit_pair_first(struct code *c, const struct emit_pair *p, size_t index)
{
    const enum reg to = emit_pair_target(index);

    switch (p - emit_pairs) {
    case CMP_BCC: emit_compare(c, REG_T6, REG_T7); break;
    case CMP_IMMEDIATE_BCC: /* CMP Xn, #7 = SUBS XZR, Xn, #7 */
        append(c, 0xf1001c1f | rn(c, REG_T6), WORK_PLAIN);
        break;
    case CMP_SHIFTED_BCC: /* CMP Xn, Xm, LSL #1 */
        append(c, 0xeb00041f | rm(c, REG_T7) | rn(c, REG_T6), WORK_PLAIN);
        break;
    case CMP_EXTENDED_BCC: /* CMP Xn, Wm, UXTW */
        append(c, 0xeb20401f | rm(c, REG_T7) | rn(c, REG_T6), WORK_PLAIN);
        break;
    case CMN_BCC: /* CMN = ADDS XZR, Xn, Xm */ append(c, 0xab00001f | rm(c, REG_T7) | rn(c, REG_T6), WORK_PLAIN); break;
    case TST_BCC: /* TST = ANDS XZR, Xn, Xm */ append(c, 0xea00001f | rm(c, REG_T6) | rn(c, REG_T6), WORK_PLAIN); break;
    case ADDS_BCC: /* ADDS (shifted register) */
        append(c, 0xab000000 | rm(c, REG_T6) | rn(c, to) | rd(c, to), WORK_PLAIN);
        break;
    case SUBS_BCC: /* by 3, of which no number that is counted down from is a multiple */
        append(c, 0xeb000000 | rm(c, REG_T7) | rn(c, to) | rd(c, to), WORK_PLAIN);
        break;
    case ANDS_BCC: append(c, 0xea000000 | rm(c, REG_T7) | rn(c, REG_T6) | rd(c, to), WORK_PLAIN); break;
    case ADD_CBZ: emit_add(c, to, REG_T6); break;
    case ADRP_ADD: /* ADRP: of this page */ append(c, 0x90000000 | rd(c, to), WORK_PLAIN); break;
    case MOVZ_MOVK: /* MOVZ Xd, #1 */ append(c, 0xd2800020 | rd(c, to), WORK_PLAIN); break;
    case MUL_UMULH: /* MUL = MADD with XZR */
        append(c, 0x9b007c00 | rm(c, REG_T7) | rn(c, REG_T6) | rd(c, to), WORK_PLAIN);
        break;
    case UDIV_MSUB: append(c, 0x9ac00800 | rm(c, REG_T7) | rn(c, REG_T6) | rd(c, REG_T8), WORK_PLAIN); break;
    case MOV_ADD: emit_move(c, to, REG_T6); break;
    default: emit_nop(c, 4);
    }
}

void emit_pair_second(struct code *c, const struct emit_pair *p, size_t index)
{
    const enum reg to = emit_pair_target(index);

    switch (p - emit_pairs) {
    case CMP_BCC:
    case CMP_IMMEDIATE_BCC:
    case CMP_SHIFTED_BCC:
    case CMP_EXTENDED_BCC:
    case CMN_BCC:
    case TST_BCC:
    case SUBS_BCC:
    case ANDS_BCC:
    case ADDS_BCC: emit_jump_if_equal(c, c->used + 4, 4); break;
    case ADD_CBZ: emit_branch_if_zero(c, to, c->used + 4); break;
    case ADRP_ADD: /* ADD (immediate) #8 */ append(c, 0x91002000 | rn(c, to) | rd(c, to), WORK_PLAIN); break;
    case MOVZ_MOVK: /* MOVK Xd, #1, LSL #16 */ append(c, 0xf2a00020 | rd(c, to), WORK_PLAIN); break;
    case MUL_UMULH: /* UMULH, of the same registers */
        append(c, 0x9bc07c00 | rm(c, REG_T7) | rn(c, REG_T6) | rd(c, REG_T8), WORK_PLAIN);
        break;
    case UDIV_MSUB: /* MSUB: the remainder; the register that is subtracted from is in bits 14:10 */
        append(c, 0x9b008000 | rm(c, REG_T7) | rn(c, REG_T6) << 5 | rn(c, REG_T8) | rd(c, to), WORK_PLAIN);
        break;
    case MOV_ADD: emit_add(c, to, REG_T7); break;
    default: emit_nop(c, 4);
    }
}
