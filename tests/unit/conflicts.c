/*
 * Two kinds of instructions that are in each other's way: what pairs take is found again between the measured ratios, for
 * one whose cost is known everywhere, and nothing is said of mixes that lack one of them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/fit/conflicts.h"

enum { ADD = 2, MOVE = 7, OTHER = 4 };

/* Four additions a cycle and one move, and an additional cost where there are many of both. */
static double cost(double adds, double moves)
{
    return fmax(fmax(adds / 4, moves), 0.9 * moves + adds / 16);
}

static struct conflict measured(void)
{
    struct ports_mix pair = {.times = {[ADD] = 19, [MOVE] = 5}};
    struct conflict c = conflict_of(&pair);

    for (size_t n = 0; n < CONFLICT_MIXES; n++)
        c.mixes[n].cycles = cost(c.mixes[n].times[ADD], c.mixes[n].times[MOVE]);
    return c;
}

static void ratios_go_from_one_alone_to_the_other(void **state)
{
    (void)state;
    const struct conflict c = measured();

    assert_int_equal(c.first, ADD);
    assert_int_equal(c.second, MOVE);
    assert_int_equal(c.mixes[0].times[ADD], 19);
    assert_int_equal(c.mixes[0].times[MOVE], 0);
    assert_int_equal(c.mixes[CONFLICT_STEPS].times[ADD], 19);
    assert_int_equal(c.mixes[CONFLICT_STEPS].times[MOVE], 5);
    assert_int_equal(c.mixes[CONFLICT_MIXES - 1].times[ADD], 0);
    assert_int_equal(c.mixes[CONFLICT_MIXES - 1].times[MOVE], 5);
    for (size_t n = 1; n < CONFLICT_MIXES; n++) /* each has more of the second */
        assert_true(c.mixes[n].times[MOVE] * c.mixes[n - 1].times[ADD] >
                    c.mixes[n - 1].times[MOVE] * c.mixes[n].times[ADD]);
}

static void what_was_measured_says_what_lies_between(void **state)
{
    (void)state;
    const struct conflict c = measured();

    for (unsigned adds = 1; adds <= 12; adds++)
        for (unsigned moves = 1; moves <= 12; moves++) {
            struct ports_mix mix = {.times = {[ADD] = (uint8_t)adds, [OTHER] = 3, [MOVE] = (uint8_t)moves}};
            const double is = cost(adds, moves), told = conflict_cycles(&c, &mix);
            assert_true(told >= is * 0.999 && told <= is * 1.03);
        }
}

static void nothing_is_said_where_one_is_missing(void **state)
{
    (void)state;
    const struct conflict c = measured();
    struct ports_mix adds = {.times = {[ADD] = 4, [OTHER] = 3}}, moves = {.times = {[OTHER] = 1, [MOVE] = 6}};

    assert_true(conflict_cycles(&c, &adds) == 0);
    assert_true(conflict_cycles(&c, &moves) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratios_go_from_one_alone_to_the_other),
        cmocka_unit_test(what_was_measured_says_what_lies_between),
        cmocka_unit_test(nothing_is_said_where_one_is_missing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
