/* From how many stores a load gathers: by what they cost it, beside a load that has to wait for as many. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/store_gathering.h"

enum { LOAD = 4, FORWARDED = 5 };

/* Cycles with 1, 2, 4 and 8 stores, and of the control. */
#define MOST(...) most((double[2][GATHERING_COUNTS]){__VA_ARGS__}, FORWARDED)

static double most(double cycles[2][GATHERING_COUNTS], double forwarded)
{
    struct store_gathering s = {.cycles = {{{0}}}};

    for (size_t n = 0; n < GATHERING_COUNTS; n++) {
        s.cycles[0][0][n] = cycles[0][n];
        s.waiting[0][n] = cycles[1][n];
    }
    return store_gathering_most(&s, 0, forwarded, LOAD);
}

static void loads_that_cost_no_more_gather(void **state)
{
    (void)state;
    assert_true(MOST({5, 5, 5, 5}, {18, 18, 18, 18}) == 8);
    assert_true(MOST({5, 5, 5, 18}, {18, 18, 18, 18}) == 4);
    assert_true(MOST({5, 18, 19, 22}, {18, 18, 19, 22}) == 1);
}

/*
 * Each further store costs something, in the end as much as a load from the cache: as on Apple's M4 (11 cycles for 7).
 */
static void gathering_may_take_time(void **state)
{
    (void)state;
    assert_true(MOST({5, 6, 7, 9.5}, {20, 20, 20, 20}) == 8);
}

/*
 * GATHERS_PART and WAITS_PART: of 15 cycles that the control waits, 9 are too many for the one, too few for the other.
 */
static void what_lies_between_is_undecided(void **state)
{
    (void)state;
    assert_true(MOST({5, 5, 5, 11}, {20, 20, 20, 20}) == 8);
    assert_true(isnan(MOST({5, 5, 5, 14}, {20, 20, 20, 20})));
    assert_true(MOST({5, 5, 5, 17}, {20, 20, 20, 20}) == 4);
}

/* Where the byte that no store wrote comes from the cache at once, only what takes hardly longer is known to gather. */
static void a_control_that_does_not_wait_decides_little(void **state)
{
    (void)state;
    assert_true(MOST({5, 5, 5, 6}, {5, 5, 5, 6}) == 8);
    assert_true(isnan(MOST({5, 5, 5, 8}, {5, 5, 5, 8})));
}

/* A pair with one store is renamed and takes no time: what it takes to forward is what others are compared with. */
static void renamed_pairs_are_no_measure(void **state)
{
    (void)state;
    assert_true(MOST({0, 7, 8, 9}, {13, 13, 14, 15}) == 8);
    assert_true(most((double[2][GATHERING_COUNTS]){{5, 5, 5, 18}, {18, 18, 18, 18}}, (double)NAN) == 4);
}

static void what_was_not_measured_is_undecided(void **state)
{
    (void)state;
    assert_true(isnan(MOST({5, (double)NAN, 5, 5}, {18, 18, 18, 18})));
    assert_true(isnan(MOST({5, 18, 18, 18}, {18, (double)NAN, 18, 18})));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_that_cost_no_more_gather), cmocka_unit_test(gathering_may_take_time),
        cmocka_unit_test(what_lies_between_is_undecided), cmocka_unit_test(a_control_that_does_not_wait_decides_little),
        cmocka_unit_test(renamed_pairs_are_no_measure),   cmocka_unit_test(what_was_not_measured_is_undecided),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
