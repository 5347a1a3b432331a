/* Idioms for x86-64. Encodings: Intel SDM vol. 2, chapters 3 and 4. */
#include "arch/emit_idioms.h"
#include "arch/x86_64/encode.h"

enum { MOV64, MOV32, MOVZX, MOVSXD, MOVAPS, XOR, SUB, CONSTANT };

const struct emit_idiom emit_idioms[] = {
    [MOV64] = {"mov64", IDIOM_MOVE},   [MOV32] = {"mov32", IDIOM_MOVE},          [MOVZX] = {"movzx8", IDIOM_MOVE},
    [MOVSXD] = {"movsxd", IDIOM_MOVE}, [MOVAPS] = {"movaps", IDIOM_VECTOR_MOVE}, [XOR] = {"xor32", IDIOM_ZERO},
    [SUB] = {"sub32", IDIOM_ZERO},     [CONSTANT] = {"mov32-0", IDIOM_ZERO},     {.name = NULL},
};

/* 32-bit operation between two registers: REX only where a number needs it. */
static void append_narrow(struct code *c, unsigned opcode, unsigned reg, unsigned rm)
{
    struct instruction i = {.count = 0};

    if (reg >= R8 || rm >= R8)
        add(&i, 0x40 | reg >> 3 << 2 | rm >> 3, 1);
    add(&i, opcode, 1);
    add(&i, modrm(3, reg, rm), 1);
    append(c, &i, WORK_PLAIN);
}

/* MOVZX r32, r/m8: 0F B6 /r, with REX for the low bytes of all registers; MOVSXD r64, r/m32: REX.W 63 /r. */
static void append_widened(struct code *c, bool sign, unsigned to, unsigned from)
{
    struct instruction i = {.count = 0};

    add(&i, 0x40 | (sign ? 8u : 0) | to >> 3 << 2 | from >> 3, 1);
    if (!sign)
        add(&i, 0x0f, 1);
    add(&i, sign ? 0x63 : 0xb6, 1);
    add(&i, modrm(3, to, from), 1);
    append(c, &i, WORK_PLAIN);
}

/* MOVAPS: NP 0F 28 /r. Eight registers need no REX. */
static void append_movaps(struct code *c, unsigned to, unsigned from)
{
    const struct instruction i = {.bytes = {0x0f, 0x28, (uint8_t)modrm(3, to, from)}, .count = 3};

    if (code_require(c, to < VREGS && from < VREGS))
        append(c, &i, WORK_PLAIN);
}

void emit_idiom(struct code *c, const struct emit_idiom *i, unsigned to, unsigned from)
{
    const enum reg r = (enum reg)to;

    switch (i - emit_idioms) {
    case MOV64: emit_move(c, r, (enum reg)from); break;
    case MOV32:
        append_narrow(c, 0x89, number(c, (enum reg)from), number(c, r)); /* MOV r/m32, r32: 89 /r */
        break;
    case MOVZX:
    case MOVSXD: append_widened(c, i - emit_idioms == MOVSXD, number(c, r), number(c, (enum reg)from)); break;
    case MOVAPS: append_movaps(c, to, from); break;
    case XOR:
        append_narrow(c, 0x31, number(c, r), number(c, r)); /* XOR r/m32, r32: 31 /r */
        break;
    case SUB:
        append_narrow(c, 0x29, number(c, r), number(c, r)); /* SUB r/m32, r32: 29 /r */
        break;
    default: emit_constant(c, r, 0);
    }
}

enum { CMP_JCC, TEST_JCC, ADD_JCC, SUB_JCC, AND_JCC, OR_JCC, XOR_JCC, INC_JCC, DEC_JCC, NEG_JCC, MOV_ADD, NOP_NOP };

const struct emit_pair emit_pairs[] = {
    [CMP_JCC] = {"cmp+jcc"}, [TEST_JCC] = {"test+jcc"}, [ADD_JCC] = {"add+jcc"}, [SUB_JCC] = {"sub+jcc"},
    [AND_JCC] = {"and+jcc"}, [OR_JCC] = {"or+jcc"},     [XOR_JCC] = {"xor+jcc"}, [INC_JCC] = {"inc+jcc"},
    [DEC_JCC] = {"dec+jcc"}, [NEG_JCC] = {"neg+jcc"},   [MOV_ADD] = {"mov+add"}, [NOP_NOP] = {"nop+nop"},
    {.name = NULL},
};

/* 64-bit operation of REG_T6, or of an opcode's /digit, on a register. */
static void append_wide(struct code *c, unsigned opcode, unsigned reg, enum reg to)
{
    const unsigned rm = number(c, to);
    struct instruction i = {.count = 0};

    add_opcode(&i, opcode, reg, 0, rm);
    add(&i, modrm(3, reg, rm), 1);
    append(c, &i, WORK_PLAIN);
}

void emit_pair_first(struct code *c, const struct emit_pair *p, size_t index)
{
    const enum reg to = emit_pair_target(index);
    const unsigned source = number(c, REG_T6);

    switch (p - emit_pairs) {
    case CMP_JCC: emit_compare(c, REG_T6, REG_T7); break;
    case TEST_JCC:
        append_wide(c, 0x85, source, REG_T6); /* TEST r/m64, r64: 85 /r */
        break;
    case ADD_JCC: emit_add(c, to, REG_T6); break;
    case SUB_JCC:
        append_wide(c, 0x29, number(c, REG_T7), to); /* SUB r/m64, r64: 29 /r; of an odd number */
        break;
    case AND_JCC:
        append_wide(c, 0x21, source, to); /* AND r/m64, r64: 21 /r */
        break;
    case OR_JCC:
        append_wide(c, 0x09, source, to); /* OR r/m64, r64: 09 /r */
        break;
    case XOR_JCC:
        append_wide(c, 0x31, number(c, REG_T7), to); /* XOR r/m64, r64: 31 /r; with another than what it began with */
        break;
    case INC_JCC:
        append_wide(c, 0xff, 0, to); /* INC r/m64: FF /0 */
        break;
    case DEC_JCC:
        append_wide(c, 0xff, 1, to); /* DEC r/m64: FF /1 */
        break;
    case NEG_JCC:
        append_wide(c, 0xf7, 3, to); /* NEG r/m64: F7 /3 */
        break;
    case MOV_ADD: emit_move(c, to, REG_T6); break;
    default: emit_nop(c, 1);
    }
}

void emit_pair_second(struct code *c, const struct emit_pair *p, size_t index)
{
    const enum reg to = emit_pair_target(index);

    if (p - emit_pairs == MOV_ADD)
        emit_add(c, to, REG_T7);
    else if (p - emit_pairs == NOP_NOP)
        emit_nop(c, 1);
    else
        emit_jump_if_equal(c, c->used + 2, 2);
}
