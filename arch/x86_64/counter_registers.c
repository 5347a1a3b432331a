#include "arch/x86_64/counter_registers.h"

const char *global_prepare(const struct access *a, const struct global_registers *g, uint64_t mask,
                           struct counters_state *state)
{
    const char *why_not = changes_set(&state->changes, g->control_name, g->control, mask, 0);

    if (why_not != NULL)
        return why_not;
    if (!a->read(a->context, g->status, &state->flags[0]))
        return g->no_status;
    state->flags_found = true;
    if ((state->flags[0] & STATUS_FROZEN) && !a->write(a->context, g->clear, STATUS_FROZEN))
        return g->stays_frozen;
    return NULL;
}

static bool switch_bits(const struct access *a, uint32_t id, uint64_t mask, bool on)
{
    uint64_t now, wanted;

    if (!a->read(a->context, id, &now))
        return false;
    wanted = on ? now | mask : now & ~mask;
    return wanted == now || a->write(a->context, id, wanted);
}

bool global_run(const struct access *a, const struct global_registers *g, uint64_t mask, bool go)
{
    return switch_bits(a, g->control, mask, go);
}

bool global_restore(const struct access *a, const struct global_registers *g, uint64_t mask,
                    const struct counters_state *state)
{
    uint64_t status, overflowed, thawed;

    if (!state->flags_found)
        return true;
    if (!a->read(a->context, g->status, &status))
        return false;
    overflowed = status & mask & ~state->flags[0];
    thawed = state->flags[0] & ~status & STATUS_FROZEN;
    return (overflowed == 0 || a->write(a->context, g->clear, overflowed)) &&
           (thawed == 0 || a->write(a->context, g->set, thawed));
}

bool selectors_run(const struct access *a, uint64_t slots, uint32_t first, unsigned step, bool go)
{
    bool all = true;

    for (uint32_t n = 0; n < COUNTER_FIXED; n++)
        if (slots & BIT(n))
            all &= switch_bits(a, first + step * n, SELECT_ENABLE, go);
    return all;
}
