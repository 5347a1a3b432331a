/* Order statistics and random numbers, on which every sweep and every pointer chase is built. */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/base/statistics.h"

static void numbers_are_sorted_with_nan_last(void **state)
{
    double values[] = {3, -1, NAN, 2, INFINITY, 2, NAN, -INFINITY, 0};
    const double expected[] = {-INFINITY, -1, 0, 2, 2, 3, INFINITY};

    (void)state;
    sort_numbers(values, 9);
    for (size_t i = 0; i < 7; i++)
        assert_true(values[i] == expected[i]);
    assert_true(isnan(values[7]) && isnan(values[8]));
    sort_numbers(NULL, 0);
}

static void quantile_is_linear_between_neighbours(void **state)
{
    const double four[] = {10, 20, 40, 80};
    const double one[] = {7};
    const double wide[] = {1, 2, INFINITY};

    (void)state;
    assert_true(quantile(four, 4, 0.5) == 30);
    assert_true(quantile(four, 4, 0) == 10);
    assert_true(quantile(four, 4, 1) == 80);
    assert_true(fabs(quantile(four, 4, 0.2) - 16) < 1e-12);
    assert_true(quantile(one, 1, 0.2) == 7);
    assert_true(quantile(wide, 3, 0.5) == 2);
}

static void quantile_at_its_borders(void **state)
{
    const double two[] = {1, 2};

    (void)state;
    assert_true(isnan(quantile(NULL, 0, 0.5)));
    assert_true(isnan(quantile(two, 2, NAN)));
    assert_true(quantile(two, 2, -1) == 1);
    assert_true(quantile(two, 2, 2) == 2);
}

/* The first numbers of the authors' reference code (splitmix64.c, Vigna 2015) for two seeds. */
static void random_sequence_is_splitmix64(void **state)
{
    const uint64_t from_0[] = {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f};
    const uint64_t from_1234567[] = {6457827717110365317, 3203168211198807973, 9817491932198370423U,
                                     4593380528125082431, 16408922859458223821U};
    uint64_t random = 0;

    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_true(random_next(&random) == from_0[i]);
    random = 1234567;
    for (size_t i = 0; i < 5; i++)
        assert_true(random_next(&random) == from_1234567[i]);
}

static void random_below_is_uniform(void **state)
{
    unsigned seen[10] = {0};
    uint64_t random = 1;

    (void)state;
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t n = random_below(&random, 10);

        assert_true(n < 10);
        seen[n]++;
    }
    /* Six standard deviations of a binomial with n = 100,000 and p = 0.1 are 569. */
    for (unsigned i = 0; i < 10; i++)
        assert_in_range(seen[i], 10000 - 569, 10000 + 569);
    assert_int_equal(random_below(&random, 1), 0);
    assert_true(random_below(&random, UINT64_MAX) < UINT64_MAX);
}

static void random_cycle_visits_all(void **state)
{
    const uint32_t counts[] = {1, 2, 3, 4, 5, 17, 64, 1000, 65536};
    uint64_t random = 42;

    (void)state;
    for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
        uint32_t count = counts[n];
        uint32_t *next = malloc(count * sizeof next[0]);
        uint32_t at = 0, steps = 0;

        assert_non_null(next);
        random_cycle(next, count, &random);
        do {
            assert_true(next[at] < count);
            at = next[at];
            steps++;
        } while (at != 0 && steps <= count);
        assert_int_equal(steps, count);
        free(next);
    }
    random_cycle(NULL, 0, &random);
}

/* There are 6 single cycles of 4 elements; each must come up, about as often as the others. */
static void random_cycle_is_uniform(void **state)
{
    unsigned seen[256] = {0}, kinds = 0;
    uint64_t random = 7;

    (void)state;
    for (unsigned i = 0; i < 60000; i++) {
        uint32_t next[4];

        random_cycle(next, 4, &random);
        seen[next[0] << 6 | next[1] << 4 | next[2] << 2 | next[3]]++;
    }
    for (unsigned i = 0; i < 256; i++) {
        if (seen[i] > 0) {
            kinds++;
            assert_in_range(seen[i], 10000 - 550, 10000 + 550); /* six standard deviations */
        }
    }
    assert_int_equal(kinds, 6);
}

static double least_of(double *values, size_t count)
{
    sort_numbers(values, count);
    return least_confirmed(values, count, 0.01);
}

static void the_least_value_that_others_confirm(void **state)
{
    double slow_moments[] = {1.07, 1.001, 1.25, 1.07, 1, 1.07, 1.004}, one_too_low[] = {0.5, 0.31, 0.503, 0.502};
    double two[] = {1, 1}, never_alike[] = {1, 1.005, 1.02, 1.03}, not_numbers[] = {1, NAN, NAN, NAN};

    (void)state;
    assert_true(least_of(slow_moments, 7) == 1);
    assert_true(least_of(one_too_low, 4) == 0.5);
    assert_true(isnan(least_of(two, 2)));
    assert_true(isnan(least_of(never_alike, 4)));
    assert_true(isnan(least_of(not_numbers, 4)));
    assert_true(isnan(least_of(NULL, 0)));
}

/* MEDIAN_OUTSIDE: of 15 numbers of one distribution 2 or more are on each side of its median, of 75 23 or more. */
static void bounds_of_a_median_are_order_statistics(void **state)
{
    static const size_t counts[] = {11, 15, 25, 75}, outside[] = {1, 2, 5, 23};
    double sorted[75], low, high;

    (void)state;
    for (size_t i = 0; i < 75; i++)
        sorted[i] = (double)i + 1;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        median_bounds(sorted, counts[i], &low, &high);
        assert_float_equal(low, (double)outside[i], 0);
        assert_float_equal(high, (double)(counts[i] + 1 - outside[i]), 0);
    }
    median_bounds(sorted, 10, &low, &high);
    assert_true(isnan(low) && isnan(high));
}

/* What 15 layouts cost of which a part, about half, costs a whole cycle more than the others. Sorted. */
static void draw_layouts(uint64_t *random, double part, double layouts[15])
{
    for (size_t i = 0; i < 15; i++) {
        const double more = (double)random_below(random, 1000) < 1000 * part ? 1 : 0;
        layouts[i] = 17 + more + (double)random_below(random, 100) / 1000;
    }
    sort_numbers(layouts, 15);
}

/* Two runs that draw different layouts do not contradict each other, though their medians are a cycle apart. */
static void bounds_of_a_median_hold_the_median_of_another_run(void **state)
{
    enum { RUNS = 20000 };
    uint64_t random = 7;

    (void)state;
    for (double part = 0.3; part < 0.7; part += 0.05) {
        unsigned outside = 0;
        for (unsigned i = 0; i < RUNS; i++) {
            double one[15], other[15], low, high;
            draw_layouts(&random, part, one);
            draw_layouts(&random, part, other);
            median_bounds(one, 15, &low, &high);
            outside += other[7] < low || other[7] > high;
        }
        assert_true(outside < 0.02 * RUNS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_sorted_with_nan_last),
        cmocka_unit_test(the_least_value_that_others_confirm),
        cmocka_unit_test(quantile_is_linear_between_neighbours),
        cmocka_unit_test(quantile_at_its_borders),
        cmocka_unit_test(bounds_of_a_median_are_order_statistics),
        cmocka_unit_test(bounds_of_a_median_hold_the_median_of_another_run),
        cmocka_unit_test(random_sequence_is_splitmix64),
        cmocka_unit_test(random_below_is_uniform),
        cmocka_unit_test(random_cycle_visits_all),
        cmocka_unit_test(random_cycle_is_uniform),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
