/* What the tests of every vendor's counters share: one modelled core, and settings that it refuses. */
#ifndef FATHOM_TESTS_COUNTERS_OF_CORE_H
#define FATHOM_TESTS_COUNTERS_OF_CORE_H

#include "lib/counters/events.h"
#include "tests/registers/counters.h"

#define BIT(n) (UINT64_C(1) << (n))
#define ONES(n) ((n) == 64 ? UINT64_MAX : BIT(n) - 1)

static struct model m;
static struct access a;
static struct counters have;
static struct counters_state state;

static const char *refused(const struct counter_setting *list, size_t count)
{
    const char *why_not;

    model_begin(&m);
    why_not = counters_program(&a, &have, list, count, &state);
    assert_non_null(why_not);
    model_assert_as_found(&m);
    return why_not;
}

/*
 * Programs these settings, starts them and stops them. Before each of these steps, and behind the last one, the core
 * executes so many instructions in as many cycles.
 */
static inline void count_once(const struct counting_core *core, const struct counter_setting *list, size_t count,
                              uint64_t instructions)
{
    core->execute(&m, instructions, instructions);
    assert_null(counters_program(&a, &have, list, count, &state));
    core->execute(&m, instructions, instructions);
    assert_true(counters_go(&a, &have, &state));
    core->execute(&m, instructions, instructions);
    assert_true(counters_stop(&a, &have, &state));
    core->execute(&m, instructions, instructions);
}

/*
 * The tables and the registers agree: each event of each known core with these counters can be programmed by itself,
 * where allocation puts it. `become` models a core that has the slots; `least` events at least are there to be tried,
 * and `without_place` of them have no place there.
 */
static void every_known_event_can_be_programmed(enum counters_kind kind,
                                                void (*become)(const char *name, const struct event_core *core),
                                                size_t least, size_t without_place)
{
    static const char *names[128];
    const size_t cores = events_cores(names, 128);
    size_t events = 0, homeless = 0;

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

            if (allocate(&e.demand, NULL, 1, have.slots, &at, &unmet, &fewest) == 0) {
                homeless++;
                continue;
            }
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
    assert_int_equal(homeless, without_place);
}

#endif
