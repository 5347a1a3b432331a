/* The first rise of a curve of branches over the bytes of their code (lib/structure/code_rise.h). */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/code_rise.h"

enum { MOST = 16 };

/* What is found of these cycles at 1, 2, 3, ...; NaN: no reading was accepted; ended by 0. */
static bool found(const double *cycles, struct code_rise *rise)
{
    struct search_point points[MOST];
    size_t count = 0;

    for (; cycles[count] != 0; count++) /* NaN is not 0 */
        points[count] = (struct search_point){
            .x = (double)count + 1, .y = cycles[count], .kept = isnan(cycles[count]) ? 0u : 1u};
    return code_rise_find(points, count, rise);
}

static void check(const double *cycles, double low, double value, double high)
{
    struct code_rise rise;

    assert_true(found(cycles, &rise));
    assert_true(rise.low == low && rise.value == value && rise.high == high);
}

static void a_rise_is_where_branches_cost_clearly_more(void **state)
{
    (void)state;
    check((double[]){1, 1, 1, 1, 1, 1, 3, 3, 0}, 6, 6, 7);
    /* a ramp, and a curve that falls again */
    check((double[]){1, 1, 1, 1, 1, 1, 1.2, 1.7, 2.1, 1.4, 1.1, 0}, 6, 7, 8);
    /* the level as it was seen on Zen 4, at its worst */
    check((double[]){1, 1.01, 1, 1, 1, 1.09, 1.07, 1.25, 1.5, 1.8, 0}, 7, 8, 9);
    check((double[]){1, NAN, 1, 1, 1, 1, NAN, 3, 3, 0}, 6, 6, 8);
}

static void one_disturbed_point_is_no_rise(void **state)
{
    (void)state;
    check((double[]){1, 5, 1, 1, 1, 1, 4, 1, 1, 3, 3, 0}, 9, 9, 10);
}

/* The thresholds: 0.35 cycles are no rise and 0.5 are one; 0.05 are the level and 0.15 are not. */
static void small_steps_are_none(void **state)
{
    struct code_rise rise;

    (void)state;
    assert_false(found((double[]){1, 1, 1, 1, 1, 1.35, 1.35, 1.35, 0}, &rise));
    check((double[]){1, 1, 1, 1, 1, 1.5, 1.5, 1.5, 0}, 5, 5, 6);
    check((double[]){1, 1, 1, 1, 1, 1.05, 1.15, 1.5, 1.5, 0}, 6, 7, 8);
}

static void nothing_is_found_without_a_rise_or_a_level(void **state)
{
    struct code_rise rise;

    (void)state;
    assert_false(found((double[]){1, 1, 1, 1, 1, 1, 1, 1, 0}, &rise));
    assert_false(found((double[]){1, 1, 3, 3, 0}, &rise));
    assert_false(found((double[]){1, 1, 1, 1, 1, 1, 3, 0}, &rise)); /* not seen twice */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rise_is_where_branches_cost_clearly_more),
        cmocka_unit_test(one_disturbed_point_is_no_rise),
        cmocka_unit_test(small_steps_are_none),
        cmocka_unit_test(nothing_is_found_without_a_rise_or_a_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
