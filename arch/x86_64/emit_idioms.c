/* Idioms for x86-64. Encodings: Intel SDM vol. 2, chapters 3 and 4. */
#include "arch/emit_idioms.h"
#include "arch/x86_64/encode.h"

enum { MOV64, MOV32, MOVAPS, XOR, SUB, CONSTANT };

const struct emit_idiom emit_idioms[] = {
    [MOV64] = {"mov r64, r64", IDIOM_MOVE},
    [MOV32] = {"mov r32, r32", IDIOM_MOVE},
    [MOVAPS] = {"movaps xmm, xmm", IDIOM_VECTOR_MOVE},
    [XOR] = {"xor r32, r32", IDIOM_ZERO},
    [SUB] = {"sub r32, r32", IDIOM_ZERO},
    [CONSTANT] = {"mov r32, 0", IDIOM_ZERO},
    {.name = NULL},
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
