#include "lib/kernels/chance.h"

/* Knuth's MMIX generator (TAOCP vol. 2, 3.3.4). */
static const uint64_t FACTOR = 6364136223846793005, INCREMENT = 1442695040888963407;

enum { TARGET_BYTES = 32 };

void chance_begin(struct code *c)
{
    emit_load(c, REG_T0, REG_DATA, 0);
    emit_constant(c, REG_T2, FACTOR);
    emit_constant(c, REG_T3, INCREMENT);
}

void chance_begin_from(struct code *c, uint64_t state)
{
    emit_constant(c, REG_T0, state);
    emit_constant(c, REG_T2, FACTOR);
    emit_constant(c, REG_T3, INCREMENT);
}

void chance_end(struct code *c)
{
    emit_store(c, REG_T0, REG_DATA, 0);
}

void chance_draw(struct code *c)
{
    emit_multiply(c, REG_T0, REG_T2);
    emit_add(c, REG_T0, REG_T3);
}

void chance_bits(struct code *c, unsigned from, unsigned count)
{
    emit_move(c, REG_T1, REG_T0);
    emit_shift_right(c, REG_T1, 64 - CHANCE_BITS + from);
    emit_and_constant(c, REG_T1, count);
}

void chance_branches(struct code *c, unsigned from, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        chance_bits(c, from + i, 1);
        struct fixup over = emit_branch_if_zero_ahead(c, REG_T1);
        emit_nop(c, emit_nop_lengths[0]);
        emit_land(c, over);
    }
}

void chance_jump(struct code *c, size_t call)
{
    const size_t targets = (c->used / TARGET_BYTES + 4) * TARGET_BYTES; /* behind the jump */
    const size_t join = targets + (size_t)CHANCE_TARGETS * TARGET_BYTES;

    emit_constant(c, REG_T4, TARGET_BYTES);
    emit_multiply(c, REG_T1, REG_T4);
    emit_address(c, REG_T4, targets);
    emit_add(c, REG_T1, REG_T4);
    emit_branch_register(c, REG_T1);
    for (size_t i = 0; i < CHANCE_TARGETS; i++) {
        emit_place(c, targets + i * TARGET_BYTES);
        if (call)
            emit_call(c, call);
        emit_branch(c, join);
    }
    emit_place(c, join);
}
