/* What passes over the same measurement come to: their middle and range, or nothing where they are far apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "lib/structure/pass_range.h"

/* On either side of PASSES_APART: passes a tenth apart are alike, passes two fifths apart are not. */
static void passes_far_apart_decide_nothing(void **state)
{
    const struct pass_range alike = pass_range_of((double[]){104, 100, 110}, 3);
    const struct pass_range apart = pass_range_of((double[]){104, 100, 140}, 3);

    (void)state;
    assert_true(alike.reason == REASON_NONE && alike.value == 104 && alike.least == 100 && alike.greatest == 110);
    assert_true(apart.reason == REASON_NOISE);
}

static void what_was_not_measured_is_left_out(void **state)
{
    const struct pass_range one = pass_range_of((double[]){(double)NAN, 100, (double)NAN}, 3);
    const struct pass_range none = pass_range_of((double[]){(double)NAN, (double)NAN}, 2);

    (void)state;
    assert_true(one.reason == REASON_NONE && one.value == 100 && one.greatest == 100);
    assert_true(none.reason == REASON_NO_READINGS && isnan(none.value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_far_apart_decide_nothing),
        cmocka_unit_test(what_was_not_measured_is_left_out),
    };

    return cmocka_run_group_tests_name("pass_range", tests, NULL, NULL);
}
