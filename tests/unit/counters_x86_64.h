/* For the tests of Intel's and AMD's counters: one modelled core, and what its counters count. */
#ifndef FATHOM_TESTS_COUNTERS_X86_64_H
#define FATHOM_TESTS_COUNTERS_X86_64_H

#include "tests/unit/counters_of_core.h"

static const char *const selector_names[] = {"PERFEVTSEL0", "PERFEVTSEL1", "PERFEVTSEL2", "PERFEVTSEL3", "PERFEVTSEL4",
                                             "PERFEVTSEL5", "PERFEVTSEL6", "PERFEVTSEL7", "PERFEVTSEL8", "PERFEVTSEL9"};
static const char *const count_names[] = {"PMC0", "PMC1", "PMC2", "PMC3", "PMC4",
                                          "PMC5", "PMC6", "PMC7", "PMC8", "PMC9"};

static void add(struct model_register *r, uint64_t count, unsigned bits)
{
    r->value = (r->value + count) & ONES(bits);
}

static uint64_t of_event(uint64_t selector, uint64_t instructions, uint64_t cycles)
{
    switch (selector & 0xffff) {
    case 0xc0: return instructions;
    case 0x3c: return cycles;
    default: return instructions / 4;
    }
}

/*
 * The tables and the registers agree: each event of each known core with these counters can be programmed by itself,
 * where allocation puts it. `become` models a core that has the slots; `least` events at least are there to be tried.
 */
static void every_known_event_can_be_programmed(enum counters_kind kind,
                                                void (*become)(const char *name, const struct event_core *core),
                                                size_t least)
{
    static const char *names[128];
    const size_t cores = events_cores(names, 128);
    size_t events = 0;

    for (size_t i = 0; i < cores; i++) {
        const struct event_core *core = events_core(names[i]);
        const char *need;
        struct event e;

        if (events_kind(core) != kind)
            continue;
        become(names[i], core);
        for (size_t j = 0; events_at(core, j, &e, &need); j++) {
            struct counter_setting list[2];
            struct place at;
            size_t unmet;
            bool fewest;
            const char *why_not;

            if (allocate(&e.demand, NULL, 1, have.slots, &at, &unmet, &fewest) == 0)
                continue; /* a fixed counter that Lion Cove does not have */
            m.accesses = 0;
            why_not = counters_program(&a, &have, list, events_settings(&e, &at, list), &state);
            if (why_not != NULL)
                fail_msg("%s, %s: %s", names[i], e.name, why_not);
            assert_true(counters_restore(&a, &have, &state));
            events++;
        }
        model_assert_as_found(&m);
    }
    assert_true(events >= least);
}

#endif
