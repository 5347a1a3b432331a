/*
 * From experiments to a grade: lib/find.c, each rule of lib/find.h by a case that breaks when it does.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/find.h"

/* find.c reports, too; here nobody listens. */
static struct finding reported;

void report(struct probe *p, const struct finding *f)
{
    (void)p;
    reported = *f;
}

enum { MOST = 3 };

/* One knee: last good `value`, the interval around it, and how the views see it. */
static struct verdict one_knee(double value, double low, double high, bool agreed)
{
    struct verdict v = {.count = 1, .level_count = 2};
    v.knees[0] = (struct knee){
        .value = value, .low = low, .high = high, .foot = low, .agreed = agreed, .half_agreed = agreed};
    v.knees[0].half = 2 * value;
    v.knees[0].half_low = 2 * low;
    v.knees[0].half_high = 2 * high;
    return v;
}

static struct verdict exact(double value)
{
    return one_knee(value, value, value + 1, true);
}

static struct find_result decide(const struct verdict *v, const char *const *fooled_by, size_t count)
{
    static const char *const names[MOST] = {"one", "two", "three"};
    struct find_experiment e[MOST];

    for (size_t i = 0; i < count; i++)
        e[i] = (struct find_experiment){.name = names[i], .fooled_by = fooled_by[i], .verdict = &v[i]};
    return find_decide(e, count, 1);
}

static const char *const different[MOST] = {"prefetchers", "TLB", "predictors"};
static const char *const alike[MOST] = {"prefetchers", "prefetchers", "prefetchers"};

static void grade_a_needs_the_same_step_from_different_experiments(void **state)
{
    (void)state;
    struct find_result r = decide((struct verdict[]){exact(100), exact(100)}, different, 2);
    assert_int_equal(r.grade, 'A');
    assert_true(r.value == 100 && r.low == 100 && r.high == 101);
    assert_string_equal(r.agreement, "one with two");

    assert_int_equal(decide((struct verdict[]){exact(100), exact(101)}, different, 2).grade, 'B');
    assert_int_equal(decide((struct verdict[]){exact(100), exact(100)}, alike, 2).grade, 'B');
}

static void grade_a_needs_certain_experiments(void **state)
{
    (void)state;
    struct verdict v[] = {exact(100), one_knee(100, 100, 101, false)};
    assert_int_equal(decide(v, different, 2).grade, 'B');
    v[1] = exact(100);
    v[1].knees[0].fuzzy = true;
    assert_int_equal(decide(v, different, 2).grade, 'B');
    v[1] = one_knee(100, 90, 110, true); /* it does not know so well */
    assert_int_equal(decide(v, different, 2).grade, 'B');
}

static void within_two_per_cent_is_b_and_covers_both(void **state)
{
    (void)state;
    struct find_result r = decide((struct verdict[]){exact(1000), one_knee(1015, 1005, 1020, true)}, different, 2);
    assert_int_equal(r.grade, 'B');
    assert_true(r.value == 1000 && r.low == 1000 && r.high == 1020);

    r = decide((struct verdict[]){exact(1000), one_knee(1015, 1005, 1020, true)}, alike, 2);
    assert_int_equal(r.grade, 'C');
}

static void contradiction_is_undecided(void **state)
{
    (void)state;
    struct find_result r = decide((struct verdict[]){exact(48), exact(96)}, different, 2);
    assert_int_equal(r.grade, 'U');
    assert_true(isnan(r.value));
    assert_string_equal(r.reason, "experiments-disagree");
    assert_int_equal(decide((struct verdict[]){exact(48), exact(96)}, alike, 2).grade, 'U');
}

/* A knee is contradicted by a curve that surely has none, or not that one; not by one that knows nothing. */
static void no_knee_contradicts_one(void **state)
{
    const struct verdict none = {.reason = "no-knee"}, noise = {.reason = "noise"}, one = exact(48);
    struct find_experiment e[] = {{.verdict = &one}, {.verdict = &none}};

    (void)state;
    assert_true(find_contradicted(e, 2));
    e[1].verdict = &noise;
    assert_false(find_contradicted(e, 2));
    e[1].verdict = &one;
    assert_false(find_contradicted(e, 2));
    e[1].knee = 1; /* it has another one */
    assert_true(find_contradicted(e, 2));
    e[0].verdict = e[1].verdict = &none;
    assert_false(find_contradicted(e, 2));
}

static void most_outvote_one_and_lose_a_grade(void **state)
{
    (void)state;
    struct find_result r = decide((struct verdict[]){exact(96), exact(48), exact(48)}, different, 3);
    assert_int_equal(r.grade, 'B');
    assert_true(r.value == 48);
    assert_int_equal(r.first, 1);
    assert_string_equal(r.agreement, "two with three against one");

    r = decide((struct verdict[]){exact(960), exact(480), one_knee(485, 484, 486, true)}, different, 3);
    assert_int_equal(r.grade, 'C');
    assert_true(r.value == 480);

    /* one experiment in two layouts against a different one: most, but of one kind */
    r = decide((struct verdict[]){exact(48), exact(48), exact(96)},
               (const char *const[]){"prefetchers", "prefetchers", "TLB"}, 3);
    assert_int_equal(r.grade, 'C');
    assert_int_equal(decide((struct verdict[]){exact(10), exact(20), exact(40)}, different, 3).grade, 'U');
}

static void one_experiment_is_c(void **state)
{
    (void)state;
    struct verdict none = {.reason = "noise"};
    assert_int_equal(decide((struct verdict[]){exact(7)}, different, 1).grade, 'C');
    struct find_result r = decide((struct verdict[]){none, exact(7)}, different, 2);
    assert_int_equal(r.grade, 'C');
    assert_int_equal(r.first, 1);
    r = decide((struct verdict[]){one_knee(7, 7, 8, false)}, different, 1);
    assert_string_equal(r.reason, "views-disagree");
}

static void nothing_decided_gives_the_first_reason(void **state)
{
    (void)state;
    struct verdict none = {.reason = "noise"}, other = {.reason = "no-knee"};
    struct find_result r = decide((struct verdict[]){none, other}, different, 2);
    assert_int_equal(r.grade, 'U');
    assert_string_equal(r.reason, "noise");

    struct verdict left = exact(9);
    struct find_experiment e = {.name = "one", .fooled_by = "TLB", .verdict = &left, .knee = 1};
    assert_string_equal(find_decide(&e, 1, 1).reason, "not-left"); /* the level after the last knee */
    e.knee = 2;
    assert_string_equal(find_decide(&e, 1, 1).reason, "no-knee");
}

static void scale_and_correction_apply_to_the_interval(void **state)
{
    (void)state;
    struct verdict v = exact(10);
    struct find_experiment e = {.name = "one", .fooled_by = "TLB", .verdict = &v, .scale = 4, .holds = 2};
    struct find_result r = find_decide(&e, 1, 1);
    assert_true(r.value == 42 && r.low == 42 && r.high == 46 && r.holds == 2);
    e.half = true;
    r = find_decide(&e, 1, 1);
    assert_true(r.value == 82 && r.low == 42 && r.high == 90); /* from where it begins to where it ends */
}

static void what_was_seen_once_belongs_to_the_interval(void **state)
{
    (void)state;
    struct verdict v[] = {exact(100), exact(100), exact(60)};
    struct find_experiment e[] = {{.name = "one", .fooled_by = "TLB", .verdict = &v[0], .holds = 2, .otherwise = 120},
                                  {.name = "two", .fooled_by = "prefetchers", .verdict = &v[1], .holds = 2},
                                  {.name = "three", .fooled_by = "predictors", .verdict = &v[2], .otherwise = 150}};
    struct find_result r = find_decide(e, 3, 1);
    assert_int_equal(r.grade, 'C');
    assert_true(r.value == 102 && r.low == 102 && r.high == 123); /* what the third one saw supports nothing */
    assert_true(r.agreeing == 2 && r.against == 1 && r.agrees[0] && r.agrees[1] && !r.agrees[2]);

    e[0].otherwise = 90;
    r = find_decide(e, 2, 1);
    assert_true(r.grade == 'C' && r.value == 102 && r.low == 92 && r.high == 103);
    e[0].otherwise = 100; /* nothing else */
    assert_int_equal(find_decide(e, 2, 1).grade, 'A');
    e[0].otherwise = 250;
    assert_string_equal(find_decide(e, 2, 1).reason, "noise");
}

static void overlapping_intervals_contradict_nothing(void **state)
{
    (void)state;
    struct verdict v[] = {one_knee(23, 22, 24, true), one_knee(20, 18, 23, true)};
    struct find_result r = decide(v, different, 2);
    assert_int_equal(r.grade, 'C');
    assert_true(r.value == 23 && r.low == 18 && r.high == 24);
    v[1] = one_knee(20, 18, 22, true);
    assert_int_equal(decide(v, different, 2).grade, 'U');
    /* one that is worth nothing by itself is no more against it: what the other one says is told */
    v[1] = one_knee(20, 18, 23, false);
    r = decide(v, different, 2);
    assert_int_equal(r.grade, 'C');
    assert_true(r.value == 23 && r.low == 18 && r.high == 24);
    v[0].knees[0].agreed = false;
    assert_int_equal(decide(v, different, 2).grade, 'U');
}

static void an_edge_known_to_a_factor_is_not_known(void **state)
{
    (void)state;
    struct verdict v[] = {one_knee(100, 60, 120, true), one_knee(101, 70, 121, true)};
    struct find_result r = decide(v, different, 2);
    assert_int_equal(r.grade, 'U');
    assert_string_equal(r.reason, "noise");
    v[0] = v[1] = one_knee(100, 40, 120, true);
    assert_string_equal(decide(v, different, 2).reason, "noise");
    v[0] = one_knee(100, 100, 101, true); /* beside a sharp one the vague one tells nothing */
    r = decide(v, different, 2);
    assert_true(r.grade == 'C' && r.low == 100 && r.high == 101);
    v[0] = one_knee(100, 61, 120, true);
    v[1] = one_knee(101, 70, 121, true);
    assert_int_equal(decide(v, different, 2).grade, 'B');
    v[0] = v[1] = one_knee(3, 1, 5, true); /* few steps are a factor easily */
    assert_int_equal(decide(v, different, 2).grade, 'B');
}

static void answers_on_a_ramp_agree_when_each_is_on_the_other(void **state)
{
    (void)state;
    struct verdict v[] = {one_knee(100, 95, 160, true), one_knee(130, 90, 180, true)};
    struct find_experiment e[] = {{.name = "one", .fooled_by = "TLB", .verdict = &v[0]},
                                  {.name = "two", .fooled_by = "prefetchers", .verdict = &v[1]}};
    assert_int_equal(find_decide(e, 2, 1).grade, 'C'); /* more than 2 % apart */
    e[0].half = e[1].half = true;
    assert_int_equal(find_decide(e, 2, 1).grade, 'C'); /* the ramps are wider than a factor of two */
    v[0].knees[0].foot = 170;
    v[0].knees[0].half_high = 300;
    v[1].knees[0].foot = 180;
    v[1].knees[0].half_high = 330;
    assert_int_equal(find_decide(e, 2, 1).grade, 'B');
    v[1].knees[0].foot = 201; /* its ramp begins behind the first one's middle, which is 200 */
    assert_int_equal(find_decide(e, 2, 1).grade, 'C');
}

static void numbers_agree_closely_or_still(void **state)
{
    (void)state;
    struct find_value v[] = {{"one", "TLB", 5.00}, {"two", "prefetchers", 5.02}};
    assert_int_equal(find_number_decide(v, 2).grade, 'A');
    v[1].value = 5.08;
    assert_int_equal(find_number_decide(v, 2).grade, 'B');
    v[1].value = 5.2;
    assert_string_equal(find_number_decide(v, 2).reason, "experiments-disagree");
    v[1].value = NAN;
    assert_int_equal(find_number_decide(v, 2).grade, 'C');
    v[0].value = NAN;
    assert_string_equal(find_number_decide(v, 2).reason, "not-steady");
}

static void heights_want_a_steady_level(void **state)
{
    (void)state;
    struct verdict v = {.level_count = 2};
    v.levels[0] = (struct knee_level){.height = 5, .spread = 0.01, .slope = 0.01};
    v.levels[1] = (struct knee_level){.height = 9, .spread = 0.2};
    assert_true(find_height(&v, 0) == 5);
    assert_true(isnan(find_height(&v, 1)));
    assert_true(isnan(find_height(&v, 2)));
    v.levels[1] = (struct knee_level){.height = 9, .slope = 0.5};
    assert_true(isnan(find_height(&v, 1)));
}

/* What levels scatter by is held against the rise, not against how high they are. */
static void differences_want_levels_that_are_steady_beside_them(void **state)
{
    (void)state;
    struct verdict v = {.level_count = 2};
    v.levels[0] = (struct knee_level){.height = 30, .spread = 0.01, .slope = 0.01};
    v.levels[1] = (struct knee_level){.height = 50, .spread = 0.01, .slope = -0.01};
    assert_true(find_difference(&v, 0, &v, 1) == 20);
    v.levels[1].slope = -0.03;
    assert_true(isnan(find_difference(&v, 0, &v, 1)) && !isnan(find_height(&v, 1)));
    assert_true(isnan(find_difference(&v, 1, &v, 0)));
    assert_true(isnan(find_difference(&v, 0, &v, 2)));
}

static void the_nearest_knee_within_a_factor(void **state)
{
    (void)state;
    struct verdict v = {.count = 2};
    v.knees[0].value = 100;
    v.knees[1].value = 140;
    assert_int_equal(find_knee_near(&v, 110, 1.5), 0);
    assert_int_equal(find_knee_near(&v, 130, 1.5), 1);
    assert_int_equal(find_knee_near(&v, 300, 1.5), 2);
    assert_int_equal(find_knee_near(&v, 60, 1.5), 2);
}

static void what_was_decided_is_what_is_reported(void **state)
{
    (void)state;
    struct verdict v = exact(48);
    struct find_experiment e = {.name = "one", .fooled_by = "TLB", .verdict = &v, .holds = 1};
    find_capacity(NULL, &(struct finding){.name = "memory.cache.bytes"}, &e, 1, 1);
    assert_true(reported.value == 49 && reported.low == 49 && reported.high == 50 && reported.holds == 1);
    assert_int_equal(reported.grade, 'C');
    assert_string_equal(reported.curves[0], "one");

    find_number(NULL, &(struct finding){.name = "system.clock.hz"}, &(struct find_value){"one", "TLB", 3}, 1);
    assert_true(reported.value == 3 && isnan(reported.low) && isnan(reported.high));
}

/* What all orders hold is all there is only where one order ends there, and all at once. */
static void what_is_held_in_all_orders_may_be_a_part(void **state)
{
    (void)state;
    const struct find_result all = {.value = 14, .low = 14, .high = 15, .grade = 'B'};
    struct verdict one = exact(14);
    one.knees[0].end = 15;
    struct find_result r = find_held(all, &one, 1);
    assert_true(r.value == 14 && r.high == 15 && r.grade == 'B');
    assert_int_equal(find_held(all, NULL, 1).grade, 'B');
    one.knees[0].end = 25;
    r = find_held(all, &one, 1);
    assert_true(r.value == 14 && r.low == 14 && r.high == 25 && r.grade == 'C');
    one = exact(16);
    one.knees[0].end = 20;
    r = find_held(all, &one, 1);
    assert_true(r.value == 16 && r.low == 14 && r.high == 20 && r.grade == 'C');
    one = exact(14); /* more rises: the same misses, or something small that comes later */
    one.count = 2;
    one.knees[0] = (struct knee){.value = 14, .low = 14, .high = 15, .end = 15, .before = 8, .after = 12};
    one.knees[1] = (struct knee){.value = 17, .low = 17, .high = 18, .end = 18, .before = 12, .after = 16};
    assert_true(find_held(all, &one, 1).high == 18);
    one.knees[1].after = 13;
    assert_true(find_held(all, &one, 1).high == 15);
    one.count = 1;
    one.knees[0].end = 60;
    assert_int_equal(find_held(all, &one, 1).grade, 'U');
    one.count = 0;
    assert_int_equal(find_held(all, &one, 1).grade, 'U');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grade_a_needs_the_same_step_from_different_experiments),
        cmocka_unit_test(grade_a_needs_certain_experiments),
        cmocka_unit_test(within_two_per_cent_is_b_and_covers_both),
        cmocka_unit_test(contradiction_is_undecided),
        cmocka_unit_test(most_outvote_one_and_lose_a_grade),
        cmocka_unit_test(one_experiment_is_c),
        cmocka_unit_test(nothing_decided_gives_the_first_reason),
        cmocka_unit_test(scale_and_correction_apply_to_the_interval),
        cmocka_unit_test(what_was_seen_once_belongs_to_the_interval),
        cmocka_unit_test(overlapping_intervals_contradict_nothing),
        cmocka_unit_test(an_edge_known_to_a_factor_is_not_known),
        cmocka_unit_test(answers_on_a_ramp_agree_when_each_is_on_the_other),
        cmocka_unit_test(numbers_agree_closely_or_still),
        cmocka_unit_test(heights_want_a_steady_level),
        cmocka_unit_test(differences_want_levels_that_are_steady_beside_them),
        cmocka_unit_test(the_nearest_knee_within_a_factor),
        cmocka_unit_test(what_was_decided_is_what_is_reported),
        cmocka_unit_test(no_knee_contradicts_one),
        cmocka_unit_test(what_is_held_in_all_orders_may_be_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
