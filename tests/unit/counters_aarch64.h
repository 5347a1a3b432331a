/* For the tests of PMUv3 and of Apple's counters: one modelled core. */
#ifndef FATHOM_TESTS_COUNTERS_AARCH64_H
#define FATHOM_TESTS_COUNTERS_AARCH64_H

#include "arch/aarch64/system_registers.h"
#include "tests/unit/counters_of_core.h"

/*
 * The tables and the registers agree: each event of each known core with these counters can be programmed by itself,
 * where allocation puts it. `become` models a core that has the slots; `least` events at least are there to be tried.
 */
static void every_known_event_can_be_programmed(enum counters_kind kind, void (*become)(const char *name), size_t least)
{
    static const char *names[128];
    const size_t cores_known = events_cores(names, 128);
    size_t events = 0;

    for (size_t i = 0; i < cores_known; i++) {
        const struct event_core *core = events_core(names[i]);
        const char *need;
        struct event e;

        if (events_kind(core) != kind)
            continue;
        become(names[i]);
        for (size_t j = 0; events_at(core, j, &e, &need); j++) {
            struct counter_setting list[2];
            struct place at;
            size_t unmet;
            bool fewest;
            const char *why_not;

            if (allocate(&e.demand, NULL, 1, have.slots, &at, &unmet, &fewest) == 0)
                fail_msg("%s, %s: no place", names[i], e.name);
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
