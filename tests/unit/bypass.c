/* What a value takes from one kind of instruction to another and back (lib/structure/bypass.h), from cycles of chains. */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/bypass.h"

/* A result that is 2 cycles late on the way there and 1 on the way back, with all chains off by that part. */
static struct bypass chains(double off)
{
    return (struct bypass){.one = 4 * (1 + off),
                           .other = 1 + off,
                           .alternating = (4 + 1 + 3) * (1 + off),
                           .in_pairs = (8 + 2 + 3) * (1 + off)};
}

static void test_extra_cycles_are_found(void **state)
{
    (void)state;
    for (int percent = -1; percent <= 1; percent++) {
        const struct bypass b = chains(percent / 100.0);
        const struct bypass_verdict v = bypass_decide(&b);
        assert_true(v.extra == 3 && v.reason == REASON_NONE);
    }
    const struct bypass early = {.one = 4, .other = 2, .alternating = 5, .in_pairs = 11};
    assert_true(bypass_decide(&early).extra == -1);
}

static void test_rounds_that_are_no_whole_number_are_undecided(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct bypass b = chains(0);
        *(double *[]){&b.one, &b.other, &b.alternating, &b.in_pairs}[i] += 0.3;
        assert_int_equal(bypass_decide(&b).reason, REASON_NO_WHOLE_CYCLES);
    }
    /* a quarter of a long round is less than the part that counts as a clock's; a tenth of a cycle is more than that */
    const struct bypass quarter = {.one = 10, .other = 10, .alternating = 20, .in_pairs = 40.3};
    assert_int_equal(bypass_decide(&quarter).reason, REASON_NO_WHOLE_CYCLES);
    const struct bypass tenth = {.one = 1.1, .other = 1, .alternating = 2, .in_pairs = 4};
    assert_int_equal(bypass_decide(&tenth).reason, REASON_NO_WHOLE_CYCLES);
    const struct bypass near = {.one = 1.05, .other = 1, .alternating = 2, .in_pairs = 4};
    assert_true(bypass_decide(&near).extra == 0);
    const struct bypass long_near = {.one = 5.09, .other = 5, .alternating = 10.15, .in_pairs = 20.2};
    assert_true(bypass_decide(&long_near).extra == 0);
}

static void test_orders_that_disagree_are_undecided(void **state)
{
    (void)state;
    struct bypass b = chains(0);

    b.in_pairs += 1;
    assert_int_equal(bypass_decide(&b).reason, REASON_EXPERIMENTS_DISAGREE);
    b.in_pairs = (double)NAN;
    assert_int_equal(bypass_decide(&b).reason, REASON_NO_READINGS);
    assert_true(isnan(bypass_decide(&b).extra));
}

/* What most chains are off by; one that is no whole number, and one that was not measured, do not matter. */
static void test_the_clock_is_seen_in_chains_of_one_kind(void **state)
{
    (void)state;
    const double off[] = {1.01, 3.03, 4.5, 5.05, (double)NAN, 4.04, 1.01}, few[] = {1.01, 3.03, 5.05},
                 far[] = {1.05, 3.15, 5.25, 4.2, 1.05};

    assert_true(fabs(bypass_scale(off, sizeof off / sizeof off[0]) - 1.01) < 1e-9);
    assert_true(bypass_scale(few, sizeof few / sizeof few[0]) == 1);
    assert_true(bypass_scale(far, sizeof far / sizeof far[0]) == 1);
}

/* LOOKS_ALIKE: one moment is enough on a quiet core, two alike are needed beside others. */
static void test_moments_confirm_each_other(void **state)
{
    (void)state;
    const struct bypass right = chains(0), other = {.one = 4, .other = 1, .alternating = 9, .in_pairs = 14},
                        blurred = {.one = 4, .other = 1, .alternating = 8.4, .in_pairs = 13},
                        apart = {.one = 4, .other = 1, .alternating = 9, .in_pairs = 13};
    struct bypass_looks l = {0};

    bypass_look(&l, &right);
    assert_true(bypass_of_looks(&l, false).extra == 3 && !bypass_wants_look(&l, false));
    assert_int_equal(bypass_of_looks(&l, true).reason, REASON_NO_READINGS);
    assert_true(bypass_wants_look(&l, true) && !bypass_is_confirmed(&l));
    bypass_look(&l, &right);
    assert_true(bypass_of_looks(&l, true).extra == 3 && !bypass_wants_look(&l, true) && bypass_is_confirmed(&l));
    bypass_look(&l, &other); /* two against one */
    assert_true(bypass_of_looks(&l, true).extra == 3);
    bypass_look(&l, &apart);
    assert_int_equal(bypass_of_looks(&l, true).reason, REASON_EXPERIMENTS_DISAGREE);
    assert_false(bypass_is_confirmed(&l));

    l = (struct bypass_looks){0}; /* what did not decide at once has to be seen twice, on a quiet core as well */
    bypass_look(&l, &blurred);
    assert_int_equal(bypass_of_looks(&l, false).reason, REASON_NO_WHOLE_CYCLES);
    assert_true(bypass_wants_look(&l, false));
    bypass_look(&l, &right);
    assert_true(bypass_of_looks(&l, false).reason != REASON_NONE && bypass_wants_look(&l, false));
    bypass_look(&l, &right);
    assert_true(bypass_of_looks(&l, false).extra == 3);

    l = (struct bypass_looks){0}; /* orders that disagree do so for good, unless others disturb them */
    bypass_look(&l, &apart);
    assert_true(!bypass_wants_look(&l, false) && bypass_wants_look(&l, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extra_cycles_are_found),
        cmocka_unit_test(test_rounds_that_are_no_whole_number_are_undecided),
        cmocka_unit_test(test_orders_that_disagree_are_undecided),
        cmocka_unit_test(test_the_clock_is_seen_in_chains_of_one_kind),
        cmocka_unit_test(test_moments_confirm_each_other),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
