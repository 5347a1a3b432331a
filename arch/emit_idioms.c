/* What pairs of every ISA have in common; arch/<isa>/emit_idioms.c has the rest. */
#include "arch/emit_idioms.h"

/*
 * Branches of pairs are not taken while a register is not 0. Multiples of an odd number are 0 only after 2^64
 * additions, and counting up from 2^40 takes as long.
 */
void emit_pair_begin(struct code *c)
{
    const uint64_t odd = (UINT64_C(1) << 40) + 1;

    for (unsigned i = 0; i < PAIR_TARGETS; i++)
        emit_constant(c, (enum reg)(REG_T0 + i), odd);
    emit_constant(c, REG_T6, odd);
    emit_constant(c, REG_T7, 3);
}

enum reg emit_pair_target(size_t index)
{
    return (enum reg)(REG_T0 + index % PAIR_TARGETS);
}
