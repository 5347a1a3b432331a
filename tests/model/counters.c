#include "tests/model/counters.h"

#include <stddef.h>

#include "arch/reader.h"
#include "lib/counters/events.h"
#include "tests/model/isa.h"

static const struct {
    const char *need; /* NULL: it is COUNTER_SECRET */
    size_t where;     /* in struct core_counts */
} events[] = {
    {"instructions", offsetof(struct core_counts, instructions)},
    {"ops_retired",
     offsetof(struct core_counts, instructions)}, /* each instruction is one operation of the modelled core */
    {"mispredicts", offsetof(struct core_counts, mispredicts)},
    {"return_mispredicts", offsetof(struct core_counts, return_mispredicts)},
    {"l1i_misses", offsetof(struct core_counts, l1i_misses)},
    {"loop_buffer_ops", offsetof(struct core_counts, replayed)},
    {NULL, offsetof(struct core_counts, instructions)},
};
enum { EVENTS = sizeof events / sizeof events[0], GENERAL = 8 };

static struct {
    size_t event[READER_COUNTS];
    unsigned slot[READER_COUNTS];
    size_t count;
} set;

const struct counters *counters_of(bool there)
{
    static const struct counters none = {.why_not = "this modelled machine has no counters"};
    static struct counters have = {
        .name = "modelled counters",
        .version = 5,
        .slots = ((uint64_t)1 << GENERAL) - 1,
        .bits = 48,
        .fixed_bits = 48,
        .detail = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, /* every event that the architecture may announce */
    };

    have.kind = (enum counters_kind)isa.counters_kind;
    return there ? &have : &none;
}

/*
 * The event of the list above that has this code; EVENTS: none. Intel's have a number of eight bits; each bit of the unit
 * mask above it adds what that unit counts.
 */
static size_t event_of(uint64_t code)
{
    const struct event_core *core = events_core(isa.counting);
    const uint64_t number = isa.counters_kind == COUNTERS_INTEL ? 0xff : UINT64_MAX;
    struct event event;
    char why[160];

    for (size_t i = 0; i < EVENTS; i++) {
        if (!events[i].need)
            event.code = COUNTER_SECRET;
        else if (!events_find(core, (enum counters_kind)isa.counters_kind, events[i].need, &event, why, sizeof why))
            continue;
        if ((event.code & number) == (code & number) && (event.code & ~code) == 0)
            return i;
    }
    return EVENTS;
}

const char *counters_set(const struct counter_setting *list, size_t count)
{
    set.count = 0;
    for (size_t i = 0; i < count; i++) {
        set.event[i] = event_of(list[i].code);
        if (set.event[i] == EVENTS)
            return "the modelled core does not count this";
        set.slot[i] = list[i].slot;
    }
    set.count = count;
    return NULL;
}

void counters_sample(const struct core_counts *counts, uint64_t *values)
{
    for (size_t i = 0; i < set.count; i++) {
        const double count = *(const double *)((const char *)counts + events[set.event[i]].where);
        values[i] = (uint64_t)count;
        if (!events[set.event[i]].need)
            values[i] = COUNTER_SECRET_SLOTS >> set.slot[i] & 1 ? (uint64_t)(count * 34 / 33) : 0;
    }
}
