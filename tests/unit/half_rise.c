/* The half-rise, the middle of a ramp between known levels, is found on made curves, or missing if not reached. */
/* link: tests/model/curves/noise.c */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/reason.h"
#include "lib/knee/half_rise.h"
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
    half_rise_decide(&search, 20);
    return &search.verdict.knees[0];
}

static void undecided(enum reason reason)
{
    assert_int_equal(search.verdict.reason, reason);
}

static void the_half_rise_is_between_its_neighbours(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (int i = 0; i < CURVES; i++) {
        const double begin = between(&random, 20, 100), end = begin * between(&random, 1.5, 6);
        const double truth = sqrt(begin * end);
        const struct knee *k = decide(begin, end, 0, &random);
        assert_null(search.verdict.reason);
        assert_int_equal(search.verdict.count, 1);
        assert_true(k->half_rise_agreed);
        assert_true(k->half_rise_low <= truth && truth <= k->half_rise_high);
        assert_true(k->half_rise_low <= k->half_rise && k->half_rise <= k->half_rise_high);
        assert_true(k->half_rise_high <= 1.3 * k->half_rise_low);
        assert_true(k->low <= k->half_rise_low && k->half_rise_high <= k->high);
        assert_true(fabs(k->half_rise - truth) <= 0.1 * truth);
    }
}

static void noise_only_widens_the_interval(void **state)
{
    unsigned decided_curves = 0, inside = 0;
    uint64_t random = 2;

    (void)state;
    for (int i = 0; i < CURVES; i++) {
        const double begin = between(&random, 20, 100), end = begin * between(&random, 1.5, 6);
        const struct knee *k = decide(begin, end, 0.5, &random);
        const double truth = sqrt(begin * end);
        if (search.verdict.reason)
            continue;
        decided_curves++;
        inside += k->low <= truth && truth <= k->high;
        assert_true(k->half_rise >= truth / 1.3 && k->half_rise <= truth * 1.3);
    }
    assert_true(decided_curves >= CURVES * 95 / 100);
    assert_true(inside >= decided_curves * 95 / 100);
}

static void a_ramp_that_ends_before_its_half_has_no_half_rise(void **state)
{
    uint64_t random = 3;

    (void)state;
    decide(700, 4000, 0, &random); /* the last point is at 861 */
    undecided(REASON_NOT_LEFT);
    decide(10000, 40000, 0.1, &random);
    undecided(REASON_NOT_LEFT);
}

static void a_curve_that_begins_at_the_upper_level_has_no_half_rise(void **state)
{
    uint64_t random = 4;

    (void)state;
    decide(1, 2, 0, &random);
    undecided(REASON_NOISE);
    search.count = 0;
    half_rise_decide(&search, 20);
    undecided(REASON_TOO_FEW_POINTS);
    decide(100, 200, 0, &random);
    points[0].y = NAN;
    half_rise_decide(&search, 20);
    undecided(REASON_NOISE);
}

static void crossings_far_apart_give_no_half_rise(void **state)
{
    uint64_t random = 5;

    (void)state;
    decide(100, 200, 0, &random);
    points[2].y = 20;
    half_rise_decide(&search, 20);
    undecided(REASON_NOISE);
}

/* A point without a value is on neither side. */
static void a_point_without_a_reading_widens_the_interval(void **state)
{
    uint64_t random = 6;
    const struct knee *k = decide(60, 400, 0, &random);
    const double low = k->half_rise_low, high = k->half_rise_high;

    (void)state;
    for (size_t i = 0; i < POINTS; i++)
        if (points[i].x >= low && points[i].x <= high)
            points[i].y = NAN;
    half_rise_decide(&search, 20);
    assert_null(search.verdict.reason);
    assert_true(k->half_rise_agreed);
    assert_true(k->half_rise_low < low && k->half_rise > low && k->half_rise < high && k->half_rise_high > high);
}

static void a_curve_that_ends_near_half_has_no_half_rise(void **state)
{
    uint64_t random = 7;

    (void)state;
    decide(60, 400, 0, &random);
    for (size_t i = 0; i < POINTS; i++)
        points[i].y = fmin(points[i].y, 2 + 0.6 * 18);
    half_rise_decide(&search, 20);
    undecided(REASON_NOT_LEFT);
}

/* Where the last points could not be measured the last one that has a value counts. */
static void points_without_a_reading_at_the_end_change_nothing(void **state)
{
    uint64_t random = 8;
    const struct knee *k = decide(60, 400, 0, &random);
    const double half = k->half_rise;

    (void)state;
    points[POINTS - 1].y = points[POINTS - 2].y = NAN;
    half_rise_decide(&search, 20);
    assert_null(search.verdict.reason);
    assert_true(search.verdict.knees[0].half_rise == half);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_half_rise_is_between_its_neighbours),
        cmocka_unit_test(noise_only_widens_the_interval),
        cmocka_unit_test(a_ramp_that_ends_before_its_half_has_no_half_rise),
        cmocka_unit_test(a_curve_that_begins_at_the_upper_level_has_no_half_rise),
        cmocka_unit_test(crossings_far_apart_give_no_half_rise),
        cmocka_unit_test(a_point_without_a_reading_widens_the_interval),
        cmocka_unit_test(a_curve_that_ends_near_half_has_no_half_rise),
        cmocka_unit_test(points_without_a_reading_at_the_end_change_nothing),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
