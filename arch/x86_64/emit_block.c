/*
 * String instructions of x86-64. Intel SDM vol. 2B, REP; vol. 1, 7.3.9.3 (fast strings: CPUID.07H:EBX[9] ERMS,
 * EDX[4] FSRM).
 */
#include "arch/emit_block.h"

#include "arch/x86_64/encode.h"

const struct emit_block emit_blocks[] = {
    {"rep movsb", .copies = true},
    {"rep stosb", .copies = false},
    {.name = NULL},
};

/* XCHG r64, r64: REX.W 87 /r */
static void exchange(struct code *c, enum reg a, enum reg b)
{
    const unsigned reg = number(c, a), rm = number(c, b);
    struct instruction i = {.count = 0};

    add_opcode(&i, 0x87, reg, 0, rm);
    add(&i, modrm(3, reg, rm), 1);
    append(c, &i, WORK_PLAIN);
}

/* REP MOVSB: F3 A4, from RSI (REG_DATA) to RDI (REG_COUNT); REP STOSB: F3 AA, of AL. Both count RCX (REG_T0) down. */
void emit_block(struct code *c, const struct emit_block *b, size_t bytes, size_t zero_bytes)
{
    const struct instruction repeat = {.bytes = {0xf3, b->copies ? 0xa4 : 0xaa}, .count = 2};

    (void)zero_bytes;
    emit_constant(c, REG_T0, bytes);
    exchange(c, REG_COUNT, REG_T1);
    if (b->copies)
        exchange(c, REG_DATA, REG_T2);
    append(c, &repeat, (struct work){.instructions = 1, .loads = b->copies, .stores = 1});
    exchange(c, REG_COUNT, REG_T1);
    if (b->copies)
        exchange(c, REG_DATA, REG_T2);
}
