/* Half way up a ramp with known ends is found on made curves, or not told where it was not reached. */
/* link: tests/model/curves/noise.c */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/half.h"
#include "tests/model/curves/noise.h"

enum { POINTS = 24, CURVES = 500 };

static struct search_point points[POINTS];
static struct search search;

/* A level of 2 up to `begin`, a ramp over the logarithm of x, and 20 from `end` on. */
static double height(double x, double begin, double end)
{
    const double part = log(x / begin) / log(end / begin);

    return 2 + 18 * fmin(1, fmax(0, part));
}

/* Points from 16 on, four to an octave. */
static const struct knee *decide(double begin, double end, double noise, uint64_t *random)
{
    search = (struct search){.points = points, .count = POINTS};
    for (size_t i = 0; i < POINTS; i++) {
        const double x = floor(16 * pow(2, (double)i / 4));
        points[i] = (struct search_point){.x = x, .y = height(x, begin, end) + noise * normal(random), .samples = 1};
    }
    half_decide(&search, 20);
    return &search.verdict.knees[0];
}

static void undecided(const char *reason)
{
    assert_non_null(search.verdict.reason);
    assert_string_equal(search.verdict.reason, reason);
}

static void half_is_between_its_neighbours(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (int i = 0; i < CURVES; i++) {
        const double begin = between(&random, 20, 100), end = begin * between(&random, 1.5, 6);
        const double truth = sqrt(begin * end);
        const struct knee *k = decide(begin, end, 0, &random);
        assert_null(search.verdict.reason);
        assert_int_equal(search.verdict.count, 1);
        assert_true(k->half_agreed);
        assert_true(k->half_low <= truth && truth <= k->half_high);
        assert_true(k->half_low <= k->half && k->half <= k->half_high);
        assert_true(k->half_high <= 1.3 * k->half_low);
        assert_true(k->low <= k->half_low && k->half_high <= k->high);
        assert_true(fabs(k->half - truth) <= 0.1 * truth);
    }
}

static void noise_widens_the_interval_and_no_more(void **state)
{
    unsigned told = 0, inside = 0;
    uint64_t random = 2;

    (void)state;
    for (int i = 0; i < CURVES; i++) {
        const double begin = between(&random, 20, 100), end = begin * between(&random, 1.5, 6);
        const struct knee *k = decide(begin, end, 0.5, &random);
        const double truth = sqrt(begin * end);
        if (search.verdict.reason)
            continue;
        told++;
        inside += k->low <= truth && truth <= k->high;
        assert_true(k->half >= truth / 1.3 && k->half <= truth * 1.3);
    }
    assert_true(told >= CURVES * 95 / 100);
    assert_true(inside >= told * 95 / 100);
}

static void a_ramp_that_is_not_seen_to_its_half_is_not_told(void **state)
{
    uint64_t random = 3;

    (void)state;
    decide(700, 4000, 0, &random); /* the last point is at 861 */
    undecided("not-left");
    decide(10000, 40000, 0.1, &random);
    undecided("not-left");
}

static void a_curve_that_begins_as_high_as_all_lost_is_not_told(void **state)
{
    uint64_t random = 4;

    (void)state;
    decide(1, 2, 0, &random);
    undecided("noise");
    search.count = 0;
    half_decide(&search, 20);
    undecided("too-few-points");
    decide(100, 200, 0, &random);
    points[0].y = NAN;
    half_decide(&search, 20);
    undecided("noise");
}

static void what_crosses_far_apart_is_not_told(void **state)
{
    uint64_t random = 5;

    (void)state;
    decide(100, 200, 0, &random);
    points[2].y = 20;
    half_decide(&search, 20);
    undecided("noise");
}

/* A point that gave nothing is on neither side. */
static void a_point_without_a_reading_widens_what_lies_around_it(void **state)
{
    uint64_t random = 6;
    const struct knee *k = decide(60, 400, 0, &random);
    const double low = k->half_low, high = k->half_high;

    (void)state;
    for (size_t i = 0; i < POINTS; i++)
        if (points[i].x >= low && points[i].x <= high)
            points[i].y = NAN;
    half_decide(&search, 20);
    assert_null(search.verdict.reason);
    assert_true(k->half_agreed);
    assert_true(k->half_low < low && k->half > low && k->half < high && k->half_high > high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_is_between_its_neighbours),
        cmocka_unit_test(noise_widens_the_interval_and_no_more),
        cmocka_unit_test(a_ramp_that_is_not_seen_to_its_half_is_not_told),
        cmocka_unit_test(a_curve_that_begins_as_high_as_all_lost_is_not_told),
        cmocka_unit_test(what_crosses_far_apart_is_not_told),
        cmocka_unit_test(a_point_without_a_reading_widens_what_lies_around_it),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
