#include "lib/kernels/round_trip.h"

/*
 * Number of times that the kernel reads the line in vain before it gives up: milliseconds, longer than any reading
 * takes while both cores run, and shorter than a window may last.
 */
static uint64_t reads_before_giving_up(const struct probe *p)
{
    return (uint64_t)probe_smoke(p, 1 << 16, 1 << 22);
}

void round_trip_emit(struct probe *p, struct code *c)
{
    const int32_t word = (int32_t)offsetof(struct round_trip_line, word);

    emit_load(c, REG_T1, REG_DATA, (int32_t)offsetof(struct round_trip_line, state));
    emit_load(c, REG_T0, REG_T1, (int32_t)offsetof(struct round_trip_state, last));
    emit_constant(c, REG_T2, reads_before_giving_up(p));
    const size_t round = c->used;
    emit_add_constant(c, REG_T0, 1);
    emit_store(c, REG_T0, REG_DATA, word);
    emit_add_constant(c, REG_T0, 1);
    const size_t read_again = c->used;
    emit_load(c, REG_T3, REG_DATA, word);
    emit_xor(c, REG_T3, REG_T0);
    const struct fixup returned = emit_branch_if_zero_ahead(c, REG_T3);
    emit_add_constant(c, REG_T2, -1);
    emit_branch_if_not_zero(c, REG_T2, read_again);
    const struct fixup gives_up = emit_branch_ahead(c);
    emit_land(c, returned);
    emit_loop(c, round);
    emit_land(c, gives_up);
    emit_store(c, REG_T0, REG_T1, (int32_t)offsetof(struct round_trip_state, last));
    emit_store(c, REG_COUNT, REG_T1, (int32_t)offsetof(struct round_trip_state, left));
    emit_return(c);
}
