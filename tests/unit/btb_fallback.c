/* The origin of redirects (lib/structure/btb_fallback.h): from the cost of branches with and without NOPs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/reason.h"
#include "lib/structure/btb_fallback.h"

/* No chains are measured here. */
bool branch_cost(struct probe *p, const struct branch_curve *curve, size_t count, double *cycles)
{
    (void)p, (void)curve, (void)count, (void)cycles;
    return false;
}

/* Cycles of a branch that no level holds, and of the most NOPs. */
static const double REDIRECT = 12, NOPS = 6;

static enum btb_origin origin(struct btb_fallback f, enum reason *why)
{
    return btb_fallback_origin(&f, why);
}

/* Half of the NOPs add `first` cycles, the other half `second`. */
static enum btb_origin origin_of(double first, double second, double resident)
{
    enum reason why;

    return origin((struct btb_fallback){.half = REDIRECT,
                                        .bare = REDIRECT,
                                        .some = REDIRECT + first,
                                        .more = REDIRECT + first + second,
                                        .resident = resident},
                  &why);
}

/* BTB_FALLBACK_FLAT: half as many branches cost a little less by noise, and a sixth less while a level holds some. */
static void a_level_is_left_where_half_as_many_branches_cost_the_same(void **state)
{
    struct btb_fallback f = {.bare = REDIRECT, .some = REDIRECT, .more = REDIRECT, .resident = NOPS};
    enum reason why;

    (void)state;
    f.half = 0.95 * REDIRECT;
    assert_int_equal(origin(f, &why), BTB_ORIGIN_L1I);
    f.half = 10;
    assert_int_equal(origin(f, &why), BTB_ORIGIN_UNKNOWN);
    assert_int_equal(why, REASON_NOT_LEFT);
}

/* BTB_FALLBACK_HIDDEN: a sixth of the time of NOPs is noise beside their being hidden, half of it is not. */
static void nops_are_hidden_where_little_of_their_time_remains(void **state)
{
    (void)state;
    assert_int_equal(origin_of(0.5, 0.5, NOPS), BTB_ORIGIN_L1I);
    assert_int_equal(origin_of(1.5, 1.5, NOPS), BTB_ORIGIN_UNKNOWN);
    assert_int_equal(origin_of(0.5, 3, NOPS), BTB_ORIGIN_L1I); /* the first half only: the wait is longer than that */
}

/* BTB_FALLBACK_ADDED: all of the time of NOPs is added, or nine tenths of it; half of it decides nothing. */
static void nops_are_added_where_nearly_all_of_their_time_shows(void **state)
{
    enum reason why;
    const struct btb_fallback half = {
        .half = REDIRECT, .bare = REDIRECT, .some = REDIRECT + 1.5, .more = REDIRECT + 4.5, .resident = NOPS};

    (void)state;
    assert_int_equal(origin_of(3, 3, NOPS), BTB_ORIGIN_DECODE);
    assert_int_equal(origin_of(2.7, 2.7, NOPS), BTB_ORIGIN_DECODE);
    assert_int_equal(origin(half, &why), BTB_ORIGIN_UNKNOWN);
    assert_int_equal(why, REASON_AMBIGUOUS);
}

/* BTB_FALLBACK_SEEN: NOPs of a quarter of a cycle cannot be seen beside a redirect, those of more than one can. */
static void nops_that_take_hardly_any_time_show_nothing(void **state)
{
    (void)state;
    assert_int_equal(origin_of(0, 0, 0.25), BTB_ORIGIN_UNKNOWN);
    assert_int_equal(origin_of(0, 0, 1.2), BTB_ORIGIN_L1I);
    assert_int_equal(origin_of(0.125, 0.25, 0.375), BTB_ORIGIN_UNKNOWN);
    assert_int_equal(origin_of(1, 1, 2), BTB_ORIGIN_DECODE);
}

/* A cost without an accepted reading is no sign of a level that still holds branches. */
static void what_was_not_read_is_undecided_for_that(void **state)
{
    enum reason why;

    (void)state;
    assert_int_equal(
        origin(
            (struct btb_fallback){
                .half = (double)NAN, .bare = REDIRECT, .some = REDIRECT + 3, .more = REDIRECT + 6, .resident = NOPS},
            &why),
        BTB_ORIGIN_UNKNOWN);
    assert_int_equal(why, REASON_NO_READINGS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_is_left_where_half_as_many_branches_cost_the_same),
        cmocka_unit_test(nops_are_hidden_where_little_of_their_time_remains),
        cmocka_unit_test(nops_are_added_where_nearly_all_of_their_time_shows),
        cmocka_unit_test(nops_that_take_hardly_any_time_show_nothing),
        cmocka_unit_test(what_was_not_read_is_undecided_for_that),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
