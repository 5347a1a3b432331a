/* Latency under load (lib/structure/loaded_latency.h), on curves of a formula. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/loaded_latency.h"

enum { POINTS = 12 };

/* 100 ns, and what waiting adds where at most 20 bytes a nanosecond can be had: the curve of an M/M/1 queue. */
static void draw(struct loaded_point *points, double until)
{
    for (size_t i = 0; i < POINTS; i++) {
        const double x = until * (double)i / (POINTS - 1);
        const double ns = 100 + 10 * x / (20 - x);
        points[i] = (struct loaded_point){x, ns, ns, ns};
    }
}

static void the_knee_lies_between_its_points(void **state)
{
    struct loaded_point points[POINTS];
    struct loaded_verdict v;
    const double truth = 20 * 2.0 / 3; /* 10 x / (20 - x) = 20 */

    (void)state;
    draw(points, 19);
    loaded_latency_decide(points, POINTS, &v);
    assert_int_equal(v.no_knee, REASON_NONE);
    assert_true(v.low <= truth && truth <= v.high && v.low <= v.knee && v.knee <= v.high);
    assert_true(v.high - v.low < 19.0 / (POINTS - 1) + 1e-9);
    assert_true(fabs(v.knee - truth) < 0.5);
}

/* On either side of LOADED_KNEE: a rise by a sixth is none, one by a quarter is. */
static void a_small_rise_is_no_knee(void **state)
{
    struct loaded_point points[POINTS];
    struct loaded_verdict v;

    (void)state;
    for (size_t i = 0; i < POINTS; i++)
        points[i] = (struct loaded_point){(double)i, i < 6 ? 100 : 116, i < 6 ? 99 : 116, i < 6 ? 101 : 116};
    loaded_latency_decide(points, POINTS, &v);
    assert_int_equal(v.no_knee, REASON_NO_KNEE);
    for (size_t i = 6; i < POINTS; i++)
        points[i].ns = points[i].ns_low = points[i].ns_high = 125;
    loaded_latency_decide(points, POINTS, &v);
    assert_int_equal(v.no_knee, REASON_NONE);
    assert_true(v.low == 5 && v.high == 6);
    points[5].ns_high = points[4].ns_high = 121; /* not certainly before it, … */
    points[6].ns_low = 119;                      /* … and not certainly behind it */
    loaded_latency_decide(points, POINTS, &v);
    assert_true(v.low == 3 && v.high == 7 && v.knee > 5 && v.knee < 6);
    points[2].ns = 130; /* which falls again */
    loaded_latency_decide(points, POINTS, &v);
    assert_int_equal(v.no_knee, REASON_NOISE);
    loaded_latency_decide(points, 2, &v);
    assert_int_equal(v.no_knee, REASON_TOO_FEW_POINTS);
}

/* On either side of LOADED_SATURATES; and a bandwidth that falls again. */
static void bandwidth_that_grows_on_is_not_saturated(void **state)
{
    struct loaded_point points[POINTS];
    struct loaded_verdict v;

    (void)state;
    draw(points, 19);
    loaded_latency_decide(points, POINTS, &v);
    assert_int_equal(v.not_saturated, REASON_RANGE_ENDS);
    points[POINTS - 1].bytes_per_ns = points[POINTS - 2].bytes_per_ns * 1.04;
    loaded_latency_decide(points, POINTS, &v);
    assert_int_equal(v.not_saturated, REASON_RANGE_ENDS);
    points[POINTS - 1].bytes_per_ns = points[POINTS - 2].bytes_per_ns * 1.01;
    loaded_latency_decide(points, POINTS, &v);
    assert_int_equal(v.not_saturated, REASON_NONE);
    assert_true(v.most == points[POINTS - 1].bytes_per_ns);
    assert_true(v.most_low == points[POINTS - 2].bytes_per_ns && v.most_high == v.most);
    points[POINTS - 1].bytes_per_ns = points[POINTS - 2].bytes_per_ns * 0.9;
    loaded_latency_decide(points, POINTS, &v);
    assert_int_equal(v.not_saturated, REASON_NONE);
    assert_true(v.most_low == points[POINTS - 1].bytes_per_ns && v.most_high == v.most);
    assert_true(v.most == points[POINTS - 2].bytes_per_ns && v.most_ns == points[POINTS - 1].ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_knee_lies_between_its_points),
                                       cmocka_unit_test(a_small_rise_is_no_knee),
                                       cmocka_unit_test(bandwidth_that_grows_on_is_not_saturated)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
