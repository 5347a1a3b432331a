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

#endif
