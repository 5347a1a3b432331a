/* Inclusion (lib/structure/inclusion.h): what looks at lines show, on either side of each threshold. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/inclusion.h"

/* 100 lines at 4, 14 and 50 cycles; a part of them was lost, and a part is not in the second level afterwards. */
static struct inclusion_view view(double lost, double forgotten)
{
    return (struct inclusion_view){.near = 400,
                                   .second = 1400,
                                   .gone = 5000,
                                   .lost = lost,
                                   .lost_low = lost - 0.05,
                                   .lost_high = lost + 0.05,
                                   .dropped = 0.1,
                                   .given_up = 1400 + forgotten * 3600};
}

static enum inclusion shown(double lost, double forgotten, enum reason expected)
{
    const struct inclusion_view v = view(lost, forgotten);
    enum reason reason;
    const enum inclusion what = inclusion_of_view(&v, &reason);

    assert_int_equal(reason, expected);
    return what;
}

static void lines_that_are_lost_or_kept_show_the_relation(void **state)
{
    (void)state;
    assert_int_equal(shown(1, 0.02, REASON_NONE), INCLUSIVE);
    assert_int_equal(shown(0, 0.02, REASON_NONE), EXCLUSIVE);
    assert_int_equal(shown(0, 0.98, REASON_NONE), NEITHER);
}

/* LINES_LOST: of lines that are lost, and of lines that are forgotten. */
static void half_of_the_lines_must_be_lost(void **state)
{
    (void)state;
    assert_int_equal(shown(0.6, 0, REASON_NONE), INCLUSIVE);
    assert_int_equal(shown(0.4, 0, REASON_NOISE), INCLUSION_UNKNOWN);
    assert_int_equal(shown(0, 0.55, REASON_NONE), NEITHER);
    assert_int_equal(shown(0, 0.45, REASON_NOISE), INCLUSION_UNKNOWN);
}

/* LINES_KEPT: of lines that are lost, more or fewer than in the control, and of lines that are forgotten. */
static void few_lines_may_be_lost(void **state)
{
    (void)state;
    assert_int_equal(shown(0.1, 0.15, REASON_NONE), EXCLUSIVE);
    assert_int_equal(shown(0.1, 0.25, REASON_NOISE), INCLUSION_UNKNOWN);
    assert_int_equal(shown(0.2, 0.1, REASON_NOISE), INCLUSION_UNKNOWN);
    assert_int_equal(shown(-0.15, 0.1, REASON_NONE), EXCLUSIVE);
    assert_int_equal(shown(-0.25, 0.1, REASON_NOISE), INCLUSION_UNKNOWN);
    assert_int_equal(shown(1, 0.25, REASON_NONE), INCLUSIVE);
}

/* A first level that drops lines by itself, so that those which the second has replaced look lost. */
static void lines_that_are_dropped_are_not_taken(void **state)
{
    struct inclusion_view v = view(0.8, 0.3);
    enum reason reason;

    (void)state;
    v.dropped = 0.15;
    assert_int_equal(inclusion_of_view(&v, &reason), INCLUSIVE);
    v.dropped = 0.25;
    assert_int_equal(inclusion_of_view(&v, &reason), INCLUSION_UNKNOWN);
    assert_int_equal(reason, REASON_NOISE);
    v.given_up = v.second;
    assert_int_equal(inclusion_of_view(&v, &reason), INCLUSIVE);
}

/* LINES_DROPPED: an inclusive second level has lines renewed that the first one drops again and again. */
static void lines_that_are_renewed_show_no_exclusion(void **state)
{
    struct inclusion_view v = view(0, 0);
    enum reason reason;

    (void)state;
    v.dropped = 0.8;
    assert_int_equal(inclusion_of_view(&v, &reason), EXCLUSIVE);
    v.dropped = 1.2;
    assert_int_equal(inclusion_of_view(&v, &reason), INCLUSION_UNKNOWN);
    assert_int_equal(reason, REASON_NOISE);
    v.given_up = v.gone;
    assert_int_equal(inclusion_of_view(&v, &reason), NEITHER);
}

static void without_contrast_nothing_is_decided(void **state)
{
    struct inclusion_view v = view(1, 0);
    enum reason reason;

    (void)state;
    v.near = 1000; /* in the second level most of the time, too */
    assert_int_equal(inclusion_of_view(&v, &reason), INCLUSION_UNKNOWN);
    assert_int_equal(reason, REASON_NO_CONTRAST);
    v = view(1, 0);
    v.gone = 2000;
    assert_int_equal(inclusion_of_view(&v, &reason), INCLUSION_UNKNOWN);
    assert_int_equal(reason, REASON_NO_CONTRAST);
    v = view(1, NAN);
    assert_int_equal(inclusion_of_view(&v, &reason), INCLUSION_UNKNOWN);
    assert_int_equal(reason, REASON_NO_READINGS);
}

static void decide(enum inclusion a, enum inclusion b, enum inclusion what, char grade, enum reason reason,
                   enum capacity_sum sum)
{
    const enum inclusion views[] = {a, b};
    const enum reason why[] = {a ? REASON_NONE : REASON_NOISE, b ? REASON_NONE : REASON_NO_READINGS};
    const struct inclusion_verdict v = inclusion_decide(views, why, 2, sum);

    assert_int_equal(v.what, what);
    assert_int_equal(v.grade, grade);
    assert_int_equal(v.reason, reason);
}

static void experiments_that_agree_give_the_grade(void **state)
{
    (void)state;
    decide(INCLUSIVE, INCLUSIVE, INCLUSIVE, 'A', REASON_NONE, SUM_UNKNOWN);
    decide(NEITHER, NEITHER, NEITHER, 'A', REASON_NONE, SUM_UNKNOWN);
    decide(EXCLUSIVE, EXCLUSIVE, EXCLUSIVE, 'B', REASON_NONE, SUM_UNKNOWN);
    decide(INCLUSIVE, INCLUSION_UNKNOWN, INCLUSIVE, 'C', REASON_NONE, SUM_UNKNOWN);
    decide(INCLUSION_UNKNOWN, NEITHER, NEITHER, 'C', REASON_NONE, SUM_UNKNOWN);
    decide(INCLUSIVE, NEITHER, INCLUSION_UNKNOWN, 'U', REASON_EXPERIMENTS_DISAGREE, SUM_UNKNOWN);
    decide(INCLUSION_UNKNOWN, INCLUSION_UNKNOWN, INCLUSION_UNKNOWN, 'U', REASON_NOISE, SUM_UNKNOWN);
}

static void what_the_levels_hold_together_confirms_it(void **state)
{
    (void)state;
    decide(EXCLUSIVE, EXCLUSIVE, EXCLUSIVE, 'A', REASON_NONE, SUM_OF_BOTH);
    decide(EXCLUSIVE, INCLUSION_UNKNOWN, INCLUSION_UNKNOWN, 'U', REASON_NO_READINGS, SUM_OF_BOTH);
    decide(EXCLUSIVE, EXCLUSIVE, INCLUSION_UNKNOWN, 'U', REASON_EXPERIMENTS_DISAGREE, LARGER_ALONE);
    decide(INCLUSIVE, INCLUSIVE, INCLUSIVE, 'A', REASON_NONE, LARGER_ALONE);
    decide(NEITHER, NEITHER, INCLUSION_UNKNOWN, 'U', REASON_EXPERIMENTS_DISAGREE, SUM_OF_BOTH);
    decide(INCLUSION_UNKNOWN, INCLUSION_UNKNOWN, INCLUSION_UNKNOWN, 'U', REASON_NOISE, SUM_OF_BOTH);
}

/* LINES_KEPT, LINES_LOST: the part of the way from a ring that fits to one that does not. */
static void a_ring_shows_what_the_levels_hold(void **state)
{
    (void)state;
    assert_int_equal(capacity_sum_of(&(struct capacity_rings){14, 16, 50}), SUM_OF_BOTH);
    assert_int_equal(capacity_sum_of(&(struct capacity_rings){14, 24, 50}), SUM_UNKNOWN);
    assert_int_equal(capacity_sum_of(&(struct capacity_rings){14, 36, 50}), LARGER_ALONE);
    assert_int_equal(capacity_sum_of(&(struct capacity_rings){14, 14, 18}), SUM_UNKNOWN);
    assert_int_equal(capacity_sum_of(&(struct capacity_rings){NAN, NAN, NAN}), SUM_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_are_lost_or_kept_show_the_relation),
        cmocka_unit_test(half_of_the_lines_must_be_lost),
        cmocka_unit_test(few_lines_may_be_lost),
        cmocka_unit_test(lines_that_are_dropped_are_not_taken),
        cmocka_unit_test(lines_that_are_renewed_show_no_exclusion),
        cmocka_unit_test(without_contrast_nothing_is_decided),
        cmocka_unit_test(experiments_that_agree_give_the_grade),
        cmocka_unit_test(what_the_levels_hold_together_confirms_it),
        cmocka_unit_test(a_ring_shows_what_the_levels_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
