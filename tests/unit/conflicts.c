/*
 * Two kinds of instructions that delay each other. The cost of ratios between the measured ones is predicted, checked
 * with a pair whose cost is known for every ratio; mixes that lack one of the kinds have no cost. The share of the
 * first kind that another kind counts for is found, and it costs nothing where the pair do not delay each other.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/conflicts.h"

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
    for (size_t n = 0; n < CONFLICT_MIXES; n++)
        c.by_ports[n] = fmax(c.mixes[n].times[ADD] / 4.0, c.mixes[n].times[MOVE]);
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

static void measured_ratios_predict_those_between(void **state)
{
    (void)state;
    const struct conflict c = measured();

    for (unsigned adds = 1; adds <= 12; adds++)
        for (unsigned moves = 1; moves <= 12; moves++) {
            struct ports_mix mix = {.times = {[ADD] = (uint8_t)adds, [OTHER] = 3, [MOVE] = (uint8_t)moves}};
            const double is = cost(adds, moves), predicted = conflict_cycles(&c, &mix);
            assert_true(predicted >= is * 0.999 && predicted <= is * 1.03);
        }
}

static void mixes_that_lack_one_kind_have_no_cost(void **state)
{
    (void)state;
    const struct conflict c = measured();
    struct ports_mix adds = {.times = {[ADD] = 4, [OTHER] = 3}}, moves = {.times = {[OTHER] = 1, [MOVE] = 6}};

    assert_true(conflict_cycles(&c, &adds) == 0);
    assert_true(conflict_cycles(&c, &moves) == 0);
}

static void shares_of_other_kinds_are_found(void **state)
{
    const double parts[] = {0, 0.25, 0.5, 1};
    struct conflict c = measured();

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct ports_mix mix = conflict_with(&c, OTHER, 9);
        assert_int_equal(mix.times[ADD], 10);
        assert_int_equal(mix.times[MOVE], 5);
        mix.cycles = cost(10 + 9 * parts[i], 5);
        const double predicted = conflict_part(&c, OTHER, &mix);
        assert_true(fabs(predicted - parts[i]) < 0.1);
    }
}

static void other_kinds_cost_nothing_where_the_pair_does_not(void **state)
{
    struct conflict c = measured();
    struct ports_mix few_moves = {.times = {[ADD] = 12, [OTHER] = 4, [MOVE] = 1}};
    struct ports_mix many_moves = {.times = {[ADD] = 12, [OTHER] = 4, [MOVE] = 4}};

    (void)state;
    c.parts[OTHER] = 0.5;
    assert_true(fabs(conflict_cycles(&c, &few_moves) / 3 - 1) < 0.01);
    assert_true(fabs(conflict_cycles(&c, &many_moves) / cost(14, 4) - 1) < 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratios_go_from_one_alone_to_the_other),
        cmocka_unit_test(measured_ratios_predict_those_between),
        cmocka_unit_test(mixes_that_lack_one_kind_have_no_cost),
        cmocka_unit_test(shares_of_other_kinds_are_found),
        cmocka_unit_test(other_kinds_cost_nothing_where_the_pair_does_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
