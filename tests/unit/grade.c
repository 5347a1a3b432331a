/*
 * From experiments to a grade (lib/finding/grade.c): for each rule of lib/finding/grade.h a case that fails when the
 * rule is broken.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"

/* find.c also reports findings, which this test does not use. */
static struct finding reported;

void report(struct probe *p, const struct finding *f)
{
    (void)p;
    reported = *f;
}

enum { MOST = 3 };

/* A verdict with one knee: the last good x, its interval, and whether both views of the curve agree. */
static struct verdict one_knee(double value, double low, double high, bool agreed)
{
    struct verdict v = {.count = 1, .level_count = 2};
    v.knees[0] = (struct knee){
        .value = value, .low = low, .high = high, .foot = low, .agreed = agreed, .half_rise_agreed = agreed};
    v.knees[0].half_rise = 2 * value;
    v.knees[0].half_rise_low = 2 * low;
    v.knees[0].half_rise_high = 2 * high;
    return v;
}

static struct verdict exact(double value)
{
    return one_knee(value, value, value + 1, true);
}

static struct graded decide(const struct verdict *v, const char *const *confounder, size_t count)
{
    static const char *const names[MOST] = {"one", "two", "three"};
    struct experiment e[MOST];

    for (size_t i = 0; i < count; i++)
        e[i] = (struct experiment){.name = names[i], .confounder = confounder[i], .verdict = &v[i]};
    return grade_capacity(e, count, 1);
}

static const char *const different[MOST] = {"prefetchers", "TLB", "predictors"};
static const char *const alike[MOST] = {"prefetchers", "prefetchers", "prefetchers"};

static void grade_a_needs_the_same_step_from_different_experiments(void **state)
{
    (void)state;
    struct graded r = decide((struct verdict[]){exact(100), exact(100)}, different, 2);
    assert_int_equal(r.grade, 'A');
    assert_true(r.value == 100 && r.low == 100 && r.high == 101);
    assert_string_equal(r.agreement, "one with two");

    assert_int_equal(decide((struct verdict[]){exact(100), exact(101)}, different, 2).grade, 'B');
    assert_int_equal(decide((struct verdict[]){exact(100), exact(100)}, alike, 2).grade, 'B');

    /* intervals that overlap in the same step, with values that lie a step apart */
    const struct verdict apart[] = {one_knee(100, 100, 101.5, true), one_knee(101, 100.5, 102, true)};
    assert_int_equal(decide(apart, different, 2).grade, 'B');
    const struct verdict near[] = {one_knee(100, 100, 101.4, true), one_knee(100.3, 100.2, 101.4, true)};
    assert_int_equal(decide(near, different, 2).grade, 'A');
    /* 101 is not excluded */
    const struct verdict open[] = {exact(100), one_knee(100, 100, 102, true)};
    assert_int_equal(decide(open, different, 2).grade, 'B');
}

static void grade_a_needs_certain_experiments(void **state)
{
    (void)state;
    struct verdict v[] = {exact(100), one_knee(100, 100, 101, false)};
    assert_int_equal(decide(v, different, 2).grade, 'B');
    v[1] = exact(100);
    v[1].knees[0].fuzzy = true;
    assert_int_equal(decide(v, different, 2).grade, 'B');
    v[1] = exact(100);
    v[1].knees[0].doubtful = true; /* a knee may be missing before this one */
    assert_int_equal(decide(v, different, 2).grade, 'B');
    v[1] = one_knee(100, 90, 110, true); /* this experiment has a wide interval */
    assert_int_equal(decide(v, different, 2).grade, 'B');
}

static void within_two_per_cent_is_b_and_the_interval_covers_both(void **state)
{
    (void)state;
    struct graded r = decide((struct verdict[]){exact(1000), one_knee(1015, 1005, 1020, true)}, different, 2);
    assert_int_equal(r.grade, 'B');
    assert_true(r.value == 1000 && r.low == 1000 && r.high == 1020);

    r = decide((struct verdict[]){exact(1000), one_knee(1015, 1005, 1020, true)}, alike, 2);
    assert_int_equal(r.grade, 'C');
}

static void contradiction_is_undecided(void **state)
{
    (void)state;
    struct graded r = decide((struct verdict[]){exact(48), exact(96)}, different, 2);
    assert_int_equal(r.grade, 'U');
    assert_true(isnan(r.value));
    assert_int_equal(r.reason, REASON_EXPERIMENTS_DISAGREE);
    assert_int_equal(decide((struct verdict[]){exact(48), exact(96)}, alike, 2).grade, 'U');
}

/* A curve that certainly has no knee, or another one, contradicts a knee; an undecided curve does not. */
static void a_certain_curve_without_knee_contradicts_a_knee(void **state)
{
    const struct verdict none = {.reason = REASON_NO_KNEE}, noise = {.reason = REASON_NOISE}, one = exact(48);
    struct experiment e[] = {{.verdict = &one}, {.verdict = &none}};

    (void)state;
    assert_true(experiments_contradict(e, 2));
    e[1].verdict = &noise;
    assert_false(experiments_contradict(e, 2));
    e[1].verdict = &one;
    assert_false(experiments_contradict(e, 2));
    e[1].knee = 1; /* it has another knee */
    assert_true(experiments_contradict(e, 2));
    e[0].verdict = e[1].verdict = &none;
    assert_false(experiments_contradict(e, 2));
}

/* The text has no room for all names: those that are left out are counted, and their intervals count. */
static void many_experiments_all_count(void **state)
{
    const struct verdict narrow = exact(100), wide = one_knee(100, 100, 103, true);
    struct experiment e[EXPERIMENTS_MAXIMUM];

    (void)state;
    for (size_t i = 0; i < EXPERIMENTS_MAXIMUM; i++)
        e[i] = (struct experiment){
            .name = "a long name of a curve", .confounder = different[i % MOST], .verdict = &narrow};
    e[EXPERIMENTS_MAXIMUM - 1].verdict = &wide;
    struct graded r = grade_capacity(e, EXPERIMENTS_MAXIMUM, 10);
    assert_int_equal(r.agreeing, EXPERIMENTS_MAXIMUM);
    assert_true(r.low == 100 && r.high == 103);
    assert_non_null(strstr(r.agreement, "a long name of a curve with a long name of a curve"));
    assert_non_null(strstr(r.agreement, " and 30 more"));
}

static void a_majority_outvotes_one_and_loses_a_grade(void **state)
{
    (void)state;
    struct graded r = decide((struct verdict[]){exact(96), exact(48), exact(48)}, different, 3);
    assert_int_equal(r.grade, 'B');
    assert_true(r.value == 48);
    assert_int_equal(r.first, 1);
    assert_string_equal(r.agreement, "two with three against one");

    r = decide((struct verdict[]){exact(960), exact(480), one_knee(485, 484, 486, true)}, different, 3);
    assert_int_equal(r.grade, 'C');
    assert_true(r.value == 480);

    /* one experiment in two layouts against another one: a majority, but of one kind */
    r = decide((struct verdict[]){exact(48), exact(48), exact(96)},
               (const char *const[]){"prefetchers", "prefetchers", "TLB"}, 3);
    assert_int_equal(r.grade, 'C');
    assert_int_equal(decide((struct verdict[]){exact(10), exact(20), exact(40)}, different, 3).grade, 'U');
}

static void one_experiment_is_c(void **state)
{
    (void)state;
    struct verdict none = {.reason = REASON_NOISE};
    assert_int_equal(decide((struct verdict[]){exact(7)}, different, 1).grade, 'C');
    struct graded r = decide((struct verdict[]){none, exact(7)}, different, 2);
    assert_int_equal(r.grade, 'C');
    assert_int_equal(r.first, 1);
    r = decide((struct verdict[]){one_knee(7, 7, 8, false)}, different, 1);
    assert_int_equal(r.reason, REASON_VIEWS_DISAGREE);
}

static void nothing_decided_gives_the_first_reason(void **state)
{
    (void)state;
    struct verdict none = {.reason = REASON_NOISE}, other = {.reason = REASON_NO_KNEE};
    struct graded r = decide((struct verdict[]){none, other}, different, 2);
    assert_int_equal(r.grade, 'U');
    assert_int_equal(r.reason, REASON_NOISE);

    struct verdict left = exact(9);
    struct experiment e = {.name = "one", .confounder = "TLB", .verdict = &left, .knee = 1};
    assert_int_equal(grade_capacity(&e, 1, 1).reason, REASON_NOT_LEFT); /* the level after the last knee */
    e.knee = 2;
    assert_int_equal(grade_capacity(&e, 1, 1).reason, REASON_NO_KNEE);
}

static void scale_and_correction_apply_to_the_interval(void **state)
{
    (void)state;
    struct verdict v = exact(10);
    struct experiment e = {.name = "one", .confounder = "TLB", .verdict = &v, .scale = 4, .holds = 2};
    struct graded r = grade_capacity(&e, 1, 1);
    assert_true(r.value == 42 && r.low == 42 && r.high == 46 && r.holds == 2);
    e.half = true;
    r = grade_capacity(&e, 1, 1);
    assert_true(r.value == 82 && r.low == 42 && r.high == 90); /* from the beginning of the ramp to its end */
}

static void single_observations_widen_the_interval(void **state)
{
    (void)state;
    struct verdict v[] = {exact(100), exact(100), exact(60)};
    struct experiment e[] = {{.name = "one", .confounder = "TLB", .verdict = &v[0], .holds = 2, .otherwise = 120},
                             {.name = "two", .confounder = "prefetchers", .verdict = &v[1], .holds = 2},
                             {.name = "three", .confounder = "predictors", .verdict = &v[2], .otherwise = 150}};
    struct graded r = grade_capacity(e, 3, 1);
    assert_int_equal(r.grade, 'C');
    assert_true(r.value == 102 && r.low == 102 &&
                r.high == 123); /* a single observation of the third one supports nothing */
    assert_true(r.agreeing == 2 && r.against == 1 && r.agrees[0] && r.agrees[1] && !r.agrees[2]);

    e[0].otherwise = 90;
    r = grade_capacity(e, 2, 1);
    assert_true(r.grade == 'C' && r.value == 102 && r.low == 92 && r.high == 103);
    e[0].otherwise = 100; /* no other observation */
    assert_int_equal(grade_capacity(e, 2, 1).grade, 'A');
    e[0].otherwise = 250;
    assert_int_equal(grade_capacity(e, 2, 1).reason, REASON_NOISE);
}

static void overlapping_intervals_contradict_nothing(void **state)
{
    (void)state;
    struct verdict v[] = {one_knee(23, 22, 24, true), one_knee(20, 18, 23, true)};
    struct graded r = decide(v, different, 2);
    assert_int_equal(r.grade, 'C');
    assert_true(r.value == 23 && r.low == 18 && r.high == 24);
    v[1] = one_knee(20, 18, 22, true);
    assert_int_equal(decide(v, different, 2).grade, 'U');
    /* an experiment that decides nothing by itself does not contradict either: the value is that of the other */
    v[1] = one_knee(20, 18, 23, false);
    r = decide(v, different, 2);
    assert_int_equal(r.grade, 'C');
    assert_true(r.value == 23 && r.low == 18 && r.high == 24);
    v[0].knees[0].agreed = false;
    assert_int_equal(decide(v, different, 2).grade, 'U');
}

/* RECKONED_STEPS: what a chain occupies is known to two entries, and only then may intervals lie apart. */
static void intervals_of_what_is_calculated_may_lie_two_steps_apart(void **state)
{
    (void)state;
    for (double more = 1; more <= 5; more++) {
        const struct verdict one = exact(40), other = exact(22);
        struct experiment e[] = {{.name = "miss", .confounder = "loads", .verdict = &one},
                                 {.name = "chain", .confounder = "operations", .verdict = &other, .holds = 18 + more}};
        assert_int_equal(grade_capacity(e, 2, 1).grade, more > 1 ? 'U' : 'B');
        e[1].reckoned = true;
        const struct graded r = grade_capacity(e, 2, 1);
        assert_int_equal(r.grade, more > 2 ? 'U' : more > 1 ? 'C' : 'B');
        assert_true(more > 2 || (r.value == 40 && r.low == 40 && r.high == 41 + more));
    }
}

static void an_edge_known_to_a_factor_is_not_known(void **state)
{
    (void)state;
    struct verdict v[] = {one_knee(100, 60, 120, true), one_knee(101, 70, 121, true)};
    struct graded r = decide(v, different, 2);
    assert_int_equal(r.grade, 'U');
    assert_int_equal(r.reason, REASON_NOISE);
    v[0] = v[1] = one_knee(100, 40, 120, true);
    assert_int_equal(decide(v, different, 2).reason, REASON_NOISE);
    v[0] = one_knee(100, 100, 101, true); /* beside a narrow interval the wide one adds nothing */
    r = decide(v, different, 2);
    assert_true(r.grade == 'C' && r.low == 100 && r.high == 101);
    v[0] = one_knee(100, 61, 120, true);
    v[1] = one_knee(101, 70, 121, true);
    assert_int_equal(decide(v, different, 2).grade, 'B');
    v[0] = v[1] = one_knee(3, 1, 5, true); /* with small counts a few steps are a large factor */
    assert_int_equal(decide(v, different, 2).grade, 'B');
}

static void knees_on_a_ramp_agree_when_each_is_on_the_others_ramp(void **state)
{
    (void)state;
    struct verdict v[] = {one_knee(100, 95, 160, true), one_knee(130, 90, 180, true)};
    struct experiment e[] = {{.name = "one", .confounder = "TLB", .verdict = &v[0]},
                             {.name = "two", .confounder = "prefetchers", .verdict = &v[1]}};
    assert_int_equal(grade_capacity(e, 2, 1).grade, 'C'); /* more than 2 % apart */
    e[0].half = e[1].half = true;
    assert_int_equal(grade_capacity(e, 2, 1).grade, 'C'); /* the ramps are wider than a factor of two */
    v[0].knees[0].foot = 170;
    v[0].knees[0].half_rise_high = 300;
    v[1].knees[0].foot = 180;
    v[1].knees[0].half_rise_high = 330;
    assert_int_equal(grade_capacity(e, 2, 1).grade, 'B');
    v[1].knees[0].foot = 201; /* its ramp begins behind the first one's middle, which is 200 */
    assert_int_equal(grade_capacity(e, 2, 1).grade, 'C');
}

static void numbers_agree_closely_or_within_the_tolerance(void **state)
{
    (void)state;
    struct experiment_value v[] = {{"one", "TLB", 5.00}, {"two", "prefetchers", 5.02}};
    assert_int_equal(grade_number(v, 2).grade, 'A');
    v[1].value = 5.08;
    assert_int_equal(grade_number(v, 2).grade, 'B');
    v[1].value = 5.2;
    assert_int_equal(grade_number(v, 2).reason, REASON_EXPERIMENTS_DISAGREE);
    v[1].value = NAN;
    assert_int_equal(grade_number(v, 2).grade, 'C');
    v[0].value = NAN;
    assert_int_equal(grade_number(v, 2).reason, REASON_NOT_STEADY);
}

static void heights_need_a_steady_level(void **state)
{
    (void)state;
    struct verdict v = {.level_count = 2};
    v.levels[0] = (struct knee_level){.height = 5, .spread = 0.01, .slope = 0.01};
    v.levels[1] = (struct knee_level){.height = 9, .spread = 0.2};
    assert_true(level_height(&v, 0) == 5);
    assert_true(isnan(level_height(&v, 1)));
    assert_true(isnan(level_height(&v, 2)));
    v.levels[1] = (struct knee_level){.height = 9, .slope = 0.5};
    assert_true(isnan(level_height(&v, 1)));
}

/* The scatter of levels is compared with the rise between them, not with their height. */
static void differences_need_levels_that_are_steady_compared_with_them(void **state)
{
    (void)state;
    struct verdict v = {.level_count = 2};
    v.levels[0] = (struct knee_level){.height = 30, .spread = 0.01, .slope = 0.01};
    v.levels[1] = (struct knee_level){.height = 50, .spread = 0.01, .slope = -0.01};
    assert_true(level_difference(&v, 0, &v, 1) == 20);
    v.levels[1].slope = -0.03;
    assert_true(isnan(level_difference(&v, 0, &v, 1)) && !isnan(level_height(&v, 1)));
    assert_true(isnan(level_difference(&v, 1, &v, 0)));
    assert_true(isnan(level_difference(&v, 0, &v, 2)));
}

static void the_nearest_knee_within_a_factor_is_taken(void **state)
{
    (void)state;
    struct verdict v = {.count = 2};
    v.knees[0].value = 100;
    v.knees[1].value = 140;
    assert_int_equal(knee_near(&v, 110, 1.5), 0);
    assert_int_equal(knee_near(&v, 130, 1.5), 1);
    assert_int_equal(knee_near(&v, 300, 1.5), 2);
    assert_int_equal(knee_near(&v, 60, 1.5), 2);
}

static void decisions_are_reported_unchanged(void **state)
{
    (void)state;
    struct verdict v = exact(48);
    struct experiment e = {.name = "one", .confounder = "TLB", .verdict = &v, .holds = 1};
    report_capacity(NULL, &(struct finding){.name = "memory.cache.bytes"}, &e, 1, 1);
    assert_true(reported.value == 49 && reported.low == 49 && reported.high == 50 && reported.holds == 1);
    assert_int_equal(reported.grade, 'C');
    assert_string_equal(reported.curves[0], "one");

    report_graded_number(NULL, &(struct finding){.name = "system.clock.hz"},
                         &(struct experiment_value){"one", "TLB", 3}, 1);
    assert_true(reported.value == 3 && isnan(reported.low) && isnan(reported.high));
}

/* Where no experiment gave a number the probe may know why better than the rule does; where one did it does not. */
static void the_reason_given_counts_where_there_is_no_number(void **state)
{
    (void)state;
    const struct finding f = {.name = "memory.forwarding.cycles", .reason = REASON_NOTHING_FORWARDS};
    struct experiment_value v[] = {{"data", "values", NAN}, {"address", "arithmetic", NAN}};

    report_graded_number(NULL, &f, v, 2);
    assert_int_equal(reported.reason, REASON_NOTHING_FORWARDS);
    report_graded_number(NULL, &(struct finding){.name = f.name}, v, 2);
    assert_int_equal(reported.reason, REASON_NOT_STEADY);
    v[0].value = 4;
    report_graded_number(NULL, &f, v, 2);
    assert_int_equal(reported.reason, REASON_NONE);
    v[1].value = 40;
    report_graded_number(NULL, &f, v, 2);
    assert_int_equal(reported.reason, REASON_EXPERIMENTS_DISAGREE);
}

/* What is resident in all orders is the whole capacity only if one order ends there, with all entries at once. */
static void entries_resident_in_all_orders_may_be_a_part_of_all(void **state)
{
    (void)state;
    const struct graded all = {.value = 14, .low = 14, .high = 15, .grade = 'B'};
    struct verdict one = exact(14);
    one.knees[0].end = 15;
    struct graded r = grade_resident(all, &one, 1);
    assert_true(r.value == 14 && r.high == 15 && r.grade == 'B');
    assert_int_equal(grade_resident(all, NULL, 1).grade, 'B');
    one.knees[0].end = 25;
    r = grade_resident(all, &one, 1);
    assert_true(r.value == 14 && r.low == 14 && r.high == 25 && r.grade == 'C');
    one = exact(16);
    one.knees[0].end = 20;
    r = grade_resident(all, &one, 1);
    assert_true(r.value == 16 && r.low == 14 && r.high == 20 && r.grade == 'C');
    one = exact(14); /* more rises: the same misses, or a small later effect */
    one.count = 2;
    one.knees[0] = (struct knee){.value = 14, .low = 14, .high = 15, .end = 15, .before = 8, .after = 12};
    one.knees[1] = (struct knee){.value = 17, .low = 17, .high = 18, .end = 18, .before = 12, .after = 16};
    assert_true(grade_resident(all, &one, 1).high == 18);
    one.knees[1].after = 13;
    assert_true(grade_resident(all, &one, 1).high == 15);
    one.count = 1;
    one.knees[0].end = 60;
    assert_int_equal(grade_resident(all, &one, 1).grade, 'U');
    one.count = 0;
    assert_int_equal(grade_resident(all, &one, 1).grade, 'U');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grade_a_needs_the_same_step_from_different_experiments),
        cmocka_unit_test(grade_a_needs_certain_experiments),
        cmocka_unit_test(within_two_per_cent_is_b_and_the_interval_covers_both),
        cmocka_unit_test(contradiction_is_undecided),
        cmocka_unit_test(many_experiments_all_count),
        cmocka_unit_test(a_majority_outvotes_one_and_loses_a_grade),
        cmocka_unit_test(one_experiment_is_c),
        cmocka_unit_test(nothing_decided_gives_the_first_reason),
        cmocka_unit_test(scale_and_correction_apply_to_the_interval),
        cmocka_unit_test(single_observations_widen_the_interval),
        cmocka_unit_test(overlapping_intervals_contradict_nothing),
        cmocka_unit_test(intervals_of_what_is_calculated_may_lie_two_steps_apart),
        cmocka_unit_test(an_edge_known_to_a_factor_is_not_known),
        cmocka_unit_test(knees_on_a_ramp_agree_when_each_is_on_the_others_ramp),
        cmocka_unit_test(numbers_agree_closely_or_within_the_tolerance),
        cmocka_unit_test(heights_need_a_steady_level),
        cmocka_unit_test(differences_need_levels_that_are_steady_compared_with_them),
        cmocka_unit_test(the_nearest_knee_within_a_factor_is_taken),
        cmocka_unit_test(decisions_are_reported_unchanged),
        cmocka_unit_test(the_reason_given_counts_where_there_is_no_number),
        cmocka_unit_test(a_certain_curve_without_knee_contradicts_a_knee),
        cmocka_unit_test(entries_resident_in_all_orders_may_be_a_part_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
