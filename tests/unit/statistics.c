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

/* The sum of twelve numbers uniform in [0, 1) is nearly normal, with a standard deviation of one. */
static double nearly_normal(uint64_t *random)
{
    double sum = 0;

    for (size_t i = 0; i < 12; i++)
        sum += (double)random_below(random, 1U << 30) / (1U << 30);
    return sum;
}

/* Medians of many samples scatter by what each sample's quartiles say, on average. */
static void error_of_a_median_is_what_medians_scatter_by(void **state)
{
    enum { SAMPLES = 4000, COUNT = 101 };
    static double medians[SAMPLES];
    uint64_t random = 7;
    double error = 0;

    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        double sample[COUNT];
        for (size_t k = 0; k < COUNT; k++)
            sample[k] = nearly_normal(&random);
        medians[i] = median(sample, COUNT);
        error += median_error(sample, COUNT) / SAMPLES;
    }
    assert_true(fabs(error / spread_of(medians, SAMPLES).sigma - 1) < 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_sorted_with_nan_last),
        cmocka_unit_test(the_least_value_that_others_confirm),
        cmocka_unit_test(quantile_is_linear_between_neighbours),
        cmocka_unit_test(quantile_at_its_borders),
        cmocka_unit_test(error_of_a_median_is_what_medians_scatter_by),
        cmocka_unit_test(random_sequence_is_splitmix64),
        cmocka_unit_test(random_below_is_uniform),
        cmocka_unit_test(random_cycle_visits_all),
        cmocka_unit_test(random_cycle_is_uniform),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
