/*
 * Links of chains of loads for AArch64: the addressing modes of Arm ARM DDI 0487, C1.3.3, each width, and computing
 * with what is loaded. Encodings: C6.2, under the names given beside them.
 */
#include "arch/emit_modes.h"

#include "arch/aarch64/encode.h"

const struct emit_mode emit_modes[] = {
    {"base", MODE_OFFSET, 0, 0, 1, 64, false, 8, 0, 0},
    {"offset", MODE_OFFSET, 8, 0, 1, 64, false, 8, 0, 0},
    {"offset-far", MODE_OFFSET, 4096, 0, 1, 64, false, 8, 0, 0},
    {"offset-unscaled", MODE_OFFSET, -8, 0, 1, 64, false, 8, 0, 0},
    {"register", MODE_OFFSET, 8, 8, 1, 64, false, 8, 0, 0},
    {"register-scaled", MODE_OFFSET, 64, 8, 1, 64, false, 8, 0, 0},
    {"index", MODE_BASE, 0, 0, 1, 64, false, 8, 0, 0},
    {"index-scaled", MODE_BASE, 0, 0, 8, 64, false, 8, 0, 0},
    {"index-extended", MODE_BASE, 0, 0, 1, 32, true, 4, 0, 0},
    {"pre-index", MODE_OFFSET, 8, 0, 1, 64, false, 8, 0, 0},
    {"post-index", MODE_OFFSET, 0, 0, 1, 64, false, 8, 0, 0},
    {"pair-first", MODE_OFFSET, 0, 0, 1, 64, false, 16, 0, 0},
    {"pair-second", MODE_OFFSET, 0, 0, 1, 64, false, 16, 8, 0},
    {"zero8", MODE_BASE, 0, 0, 1, 8, false, 1, 0, 0},
    {"zero16", MODE_BASE, 0, 0, 1, 16, false, 2, 0, 0},
    {"zero32", MODE_BASE, 0, 0, 1, 32, false, 4, 0, 0},
    {"sign8", MODE_BASE, 0, 0, 1, 8, true, 1, 0, 0},
    {"sign16", MODE_BASE, 0, 0, 1, 16, true, 2, 0, 0},
    {"sign32", MODE_BASE, 0, 0, 1, 32, true, 4, 0, 0},
    {"to-alu", MODE_OFFSET, 0, 0, 1, 64, false, 8, 0, 1},
    {.name = NULL},
};

/* The instructions of the links, without registers and immediates. In enum operands, R2 is REG_T2. */
enum {
    LDR = 0xf9400000,       /* LDR (immediate), unsigned offset */
    LDUR = 0xf8400000,      /* LDUR */
    LDR_REG = 0xf8606800,   /* LDR (register), LSL #0 */
    LDR_LSL = 0xf8607800,   /* LDR (register), LSL #3 */
    LDRW_SXTW = 0xb860c800, /* LDR (register), 32-bit, SXTW */
    LDR_PRE = 0xf8400c00,   /* LDR (immediate), pre-index */
    LDR_POST = 0xf8400400,  /* LDR (immediate), post-index */
    LDP = 0xa9400000,       /* LDP, signed offset */
    LDRB = 0x38606800,      /* LDRB (register) */
    LDRH = 0x78606800,      /* LDRH (register) */
    LDRW = 0xb8606800,      /* LDR (register), 32-bit */
    LDRSB = 0x38a06800,     /* LDRSB (register), 64-bit */
    LDRSH = 0x78a06800,     /* LDRSH (register), 64-bit */
    LDRSW = 0xb8a06800,     /* LDRSW (register) */
};

enum operands { IMMEDIATE, POINTER_AND_R2, R2_AND_INDEX, WRITES_BACK, FIRST, SECOND, IMMEDIATE_THEN_ADD };

static const struct form {
    uint32_t opcode; /* with its immediate */
    enum operands operands;
} forms[] = {
    {LDR, IMMEDIATE},
    {LDR | 1 << 10, IMMEDIATE},             /* imm12, in units of 8 bytes */
    {LDR | 512 << 10, IMMEDIATE},           /* 4096 / 8 */
    {LDUR | (-8 & 0x1ff) << 12, IMMEDIATE}, /* imm9 */
    {LDR_REG, POINTER_AND_R2},
    {LDR_LSL, POINTER_AND_R2},
    {LDR_REG, R2_AND_INDEX},
    {LDR_LSL, R2_AND_INDEX},
    {LDRW_SXTW, R2_AND_INDEX},
    {LDR_PRE | 8 << 12, WRITES_BACK}, /* imm9 */
    {LDR_POST | 8 << 12, WRITES_BACK},
    {LDP, FIRST},
    {LDP, SECOND},
    {LDRB, R2_AND_INDEX},
    {LDRH, R2_AND_INDEX},
    {LDRW, R2_AND_INDEX},
    {LDRSB, R2_AND_INDEX},
    {LDRSH, R2_AND_INDEX},
    {LDRSW, R2_AND_INDEX},
    {LDR, IMMEDIATE_THEN_ADD},
};

_Static_assert(sizeof forms / sizeof forms[0] + 1 == sizeof emit_modes / sizeof emit_modes[0], "a form for each mode");

/*
 * A load with write-back must not load its own base register: in those modes the two links use two registers in turn.
 */
void emit_mode_links(struct code *c, const struct emit_mode *m)
{
    const struct form *f = &forms[m - emit_modes];
    const uint32_t same = rn(c, REG_T0) | rd(c, REG_T0);

    for (unsigned k = 0; k < 2; k++)
        switch (f->operands) {
        case IMMEDIATE: append(c, f->opcode | same, WORK_LOAD); break;
        case POINTER_AND_R2: append(c, f->opcode | rm(c, REG_T2) | same, WORK_LOAD); break;
        case R2_AND_INDEX: append(c, f->opcode | rm(c, REG_T0) | rn(c, REG_T2) | rd(c, REG_T0), WORK_LOAD); break;
        case WRITES_BACK:
            append(c, f->opcode | rn(c, k ? REG_T1 : REG_T0) | rd(c, k ? REG_T0 : REG_T1), WORK_LOAD);
            break;
        case FIRST: append(c, f->opcode | field(c, REG_T1, REGS, 10) | same, WORK_LOAD); break; /* Rt2 is bits 14:10 */
        case SECOND:
            append(c, f->opcode | field(c, REG_T0, REGS, 10) | rn(c, REG_T0) | rd(c, REG_T1), WORK_LOAD);
            break;
        case IMMEDIATE_THEN_ADD:
            append(c, f->opcode | same, WORK_LOAD);
            emit_add(c, REG_T0, REG_T2);
            break;
        }
}
