#include "arch/counters_private.h"
#include "arch/reader.h"

/* Why the settings cannot be programmed together; NULL when they can. */
static const char *conflict(const struct counters *have, const struct counter_setting *list, size_t count)
{
    uint64_t used = 0;

    if (have->why_not != NULL)
        return have->why_not;
    for (size_t i = 0; i < count; i++) {
        const uint64_t slot = list[i].slot < COUNTER_SLOTS ? BIT(list[i].slot) : 0;

        if (!(slot & have->slots))
            return "this core has no such counter";
        if (slot & have->taken)
            return "this counter was in use when it was found, and is left alone";
        if (slot & used)
            return "one counter cannot count two events at once";
        used |= slot;
    }
    return NULL;
}

const char *counters_lacks(const struct counters *have, uint64_t code)
{
    const struct counter_driver *driver = have->why_not == NULL ? counter_driver(have) : NULL;

    return driver != NULL && driver->lacks != NULL ? driver->lacks(have, code) : NULL;
}

const char *counters_program(const struct access *a, const struct counters *have, const struct counter_setting *list,
                             size_t count, struct counters_state *state)
{
    const char *why_not = conflict(have, list, count);

    state->changes.access = a;
    state->changes.count = 0;
    state->slots = 0;
    state->flags_found = false;
    if (why_not != NULL)
        return why_not;
    for (size_t i = 0; i < count; i++)
        state->slots |= BIT(list[i].slot);
    why_not = counter_driver(have)->program(a, have, list, count, state);
    if (why_not != NULL)
        counters_restore(a, have, state);
    return why_not;
}

bool counters_go(const struct access *a, const struct counters *have, const struct counters_state *state)
{
    return state->slots == 0 || counter_driver(have)->run(a, have, state, true);
}

bool counters_stop(const struct access *a, const struct counters *have, const struct counters_state *state)
{
    return state->slots == 0 || counter_driver(have)->run(a, have, state, false);
}

bool counters_read(const struct access *a, const struct counters *have, unsigned slot, uint64_t *value)
{
    return slot < COUNTER_SLOTS && (have->slots & BIT(slot)) && counter_driver(have)->read(a, have, slot, value);
}

bool counters_restore(const struct access *a, const struct counters *have, struct counters_state *state)
{
    bool all = counters_stop(a, have, state);

    if (state->slots != 0)
        all &= counter_driver(have)->restore(a, have, state);
    state->slots = 0;
    return all;
}

bool counters_reader_index(const struct counters *have, unsigned slot, uint32_t *index)
{
    const uint32_t rdpmc_fixed = UINT32_C(1) << 30; /* Intel SDM vol. 2B, RDPMC */

    switch (have->kind) {
    case COUNTERS_INTEL: *index = slot < COUNTER_FIXED ? slot : rdpmc_fixed | (slot - COUNTER_FIXED); return true;
    case COUNTERS_AMD: *index = slot; return slot < COUNTER_FIXED;
    case COUNTERS_PMUV3:
        *index = slot < READER_CYCLES ? slot : slot == COUNTER_FIXED ? READER_CYCLES : READER_INSTRUCTIONS;
        return slot < READER_CYCLES || slot == COUNTER_FIXED || slot == COUNTER_FIXED + 1;
    case COUNTERS_APPLE: *index = READER_APPLE + slot; return slot < 10;
    case COUNTERS_NONE: break;
    }
    return false;
}

size_t counters_proof(const struct access *a, const struct counters *have, struct counter_proof *out, size_t room)
{
    size_t n = 0;

    if (have->why_not != NULL)
        return 0;
    for (unsigned slot = 0; slot < COUNTER_SLOTS && n < room; slot++) {
        if (!(have->slots & ~have->taken & BIT(slot)))
            continue;
        out[n] = (struct counter_proof){.setting.slot = slot};
        counter_driver(have)->proof(a, have, &out[n]);
        n++;
    }
    return n;
}

const char *counters_proof_verdict(const struct counter_proof *proof, uint64_t more, uint64_t over_short,
                                   uint64_t over_long, uint64_t while_stopped)
{
    const uint64_t counted = over_long - over_short;

    if (over_long == 0)
        return "stands still";
    if (while_stopped != 0)
        return "counts while it is stopped";
    if (over_long <= over_short)
        return "counts no more for a longer kernel";
    if (proof->counts == COUNTS_INSTRUCTIONS && (counted < more - more / 100 || counted > more + more / 100))
        return "does not count the instructions that are executed";
    return NULL;
}
