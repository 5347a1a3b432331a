/* The frequency of a time stamp that firmware declares: checked, and replaced where other clocks agree on another. */
/* link: boot/uefi/tick_rate.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "boot/uefi/tick_rate.h"

static double clock_hz;
static unsigned asked;

static double by_clock(void)
{
    asked++;
    return clock_hz;
}

static struct tick_rate choose(double declared, double stall, double clock)
{
    clock_hz = clock;
    asked = 0;
    return tick_rate_choose(declared, "cntfrq_el0", stall, by_clock);
}

static void what_stall_confirms_is_used_as_declared(void **state)
{
    (void)state;
    const struct tick_rate exact = choose(24e6, 24e6, 1), late = choose(24e6, 24.2e6, 1);
    assert_true(exact.hz == 24e6 && late.hz == 24e6);
    assert_string_equal(late.source, "cntfrq_el0");
    assert_null(late.doubt);
    assert_int_equal(asked, 0); /* it takes two seconds */
}

/* The two nearest oscillators of boards, by which firmware for one board is wrong on the other. */
static void neighbouring_oscillators_are_different(void **state)
{
    (void)state;
    assert_false(tick_rate_same(24.576e6, 25e6));
    assert_false(tick_rate_same(24e6, 24.576e6));
    assert_true(tick_rate_same(24e6, 24.3e6));
    assert_false(tick_rate_same(0, 0));
}

static void the_real_time_clock_decides(void **state)
{
    (void)state;
    struct tick_rate r = choose(24e6, 25e6, 25.02e6);
    assert_true(r.hz == 25e6);
    assert_string_equal(r.source, "firmware-stall");
    assert_non_null(r.doubt);
    r = choose(24e6, 1e6, 23.98e6);
    assert_true(r.hz == 24e6);
    assert_string_equal(r.source, "cntfrq_el0");
    assert_null(r.doubt); /* Stall alone is wrong, which changes nothing */
    r = choose(24e6, 1e6, 19.2e6);
    assert_true(r.hz == 19.2e6);
    assert_string_equal(r.source, "real-time-clock");
    assert_int_equal(asked, 1);
}

static void nothing_declared(void **state)
{
    (void)state;
    struct tick_rate r = choose(0, 54e6, 54.1e6);
    assert_true(r.hz == 54e6);
    assert_string_equal(r.source, "firmware-stall");
    assert_non_null(r.doubt);
    r = choose(0, 54e6, 0);
    assert_true(r.hz == 54e6);
    assert_non_null(strstr(r.source, "unreliable"));
}

static void without_a_real_time_clock_a_difference_is_said(void **state)
{
    (void)state;
    const struct tick_rate r = choose(24e6, 1e6, 0);
    assert_true(r.hz == 24e6);
    assert_non_null(strstr(r.source, "unreliable"));
    assert_non_null(strstr(r.doubt, "may be wrong"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stall_confirms_is_used_as_declared),
        cmocka_unit_test(neighbouring_oscillators_are_different),
        cmocka_unit_test(the_real_time_clock_decides),
        cmocka_unit_test(nothing_declared),
        cmocka_unit_test(without_a_real_time_clock_a_difference_is_said),
    };

    return cmocka_run_group_tests_name("tick_rate", tests, NULL, NULL);
}
