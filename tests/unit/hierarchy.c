/*
 * Levels of the hierarchy that other cores or instructions share (lib/structure/hierarchy.c). tests/model has modelled
 * cores.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/hierarchy.h"

enum { MOST = 8 };

static struct finding reported[MOST];
static size_t count;

void report(struct probe *p, const struct finding *f)
{
    (void)p;
    assert_true(count < MOST);
    reported[count++] = *f;
}

/* A staircase with an edge after each of these. */
static struct verdict staircase(double first, double second)
{
    struct verdict v = {.count = 2, .level_count = 3};
    const double edges[] = {first, second}, heights[] = {14, 45, 390};

    for (size_t i = 0; i < v.level_count; i++)
        v.levels[i] = (struct knee_level){.height = heights[i]};
    for (size_t i = 0; i < v.count; i++)
        v.knees[i] = (struct knee){.value = edges[i],
                                   .low = edges[i],
                                   .high = edges[i] + 1,
                                   .foot = edges[i],
                                   .half_rise = edges[i],
                                   .half_rise_low = edges[i],
                                   .half_rise_high = edges[i] + 1,
                                   .end = edges[i] + 2,
                                   .before = heights[i],
                                   .after = heights[i + 1],
                                   .agreed = true,
                                   .half_rise_agreed = true};
    return v;
}

static void report_levels(unsigned shared, const struct verdict *groups, const struct verdict *whole)
{
    const struct experiment e[] = {{.name = "groups", .confounder = "prefetchers", .verdict = groups},
                                   {.name = "whole", .confounder = "TLB", .verdict = whole}};

    count = 0;
    hierarchy_report(
        NULL, &(struct hierarchy){.capacity = "bytes", .height = "cycles", .step = 1, .shared = shared, .before = 1}, e,
        sizeof e / sizeof e[0]);
    assert_int_equal(count, 6);
}

/* Levels 2, 3 and 4 are reported, each with its capacity first; level 4 is memory. */
static const struct finding *bytes(unsigned level)
{
    return &reported[2 * (level - 2)];
}

static const struct finding *cycles(unsigned level)
{
    return bytes(level) + 1;
}

static void what_two_experiments_agree_on_is_reported_although_others_share_the_level(void **state)
{
    const struct verdict v = staircase(1000, 6000);

    (void)state;
    report_levels(3, &v, &v);
    assert_int_equal(bytes(2)->grade, 'A');
    assert_int_equal(bytes(3)->grade, 'A');
    assert_true(bytes(3)->value == 6000);
}

static void the_rest_that_others_leave_is_no_capacity_and_hides_levels_behind(void **state)
{
    const struct verdict groups = staircase(1000, 6000), whole = {.level_count = 1, .levels = {{.height = 60}}};

    (void)state;
    report_levels(3, &groups, &whole);
    assert_int_equal(bytes(2)->grade, 'C');
    assert_true(isnan(bytes(3)->value));
    assert_int_equal(bytes(3)->reason, REASON_SHARED_LEVEL);
    assert_true(cycles(3)->value == 45);
    assert_true(isnan(bytes(4)->value) && isnan(cycles(4)->value));
}

static void one_experiment_is_enough_for_a_level_that_is_not_shared(void **state)
{
    const struct verdict groups = staircase(1000, 6000), whole = {.level_count = 1, .levels = {{.height = 60}}};

    (void)state;
    report_levels(0, &groups, &whole);
    assert_int_equal(bytes(3)->grade, 'C');
    assert_true(bytes(3)->value == 6000 && cycles(4)->value == 390);
    report_levels(4, &groups, &whole);
    assert_int_equal(bytes(3)->grade, 'C');
}

/* Frames are scattered, and one rise has two knees, of which the larger counts: the level may end at the first. */
static void a_rise_of_two_knees_begins_at_the_first(void **state)
{
    struct verdict v = staircase(1000, 1010);
    const struct experiment e = {.name = "groups", .confounder = "prefetchers", .verdict = &v};

    (void)state;
    v.knees[0].foot = 980;
    v.knees[1].foot = v.knees[1].low = 1005;
    v.knees[1].half_rise = 1100;
    v.knees[1].half_rise_high = 1101;
    v.knees[1].end = 1200;
    count = 0;
    hierarchy_report(NULL, &(struct hierarchy){.capacity = "bytes", .step = 1, .before = 1, .scattered = true}, &e, 1);
    assert_true(count > 0 && reported[0].value == 1100 && reported[0].grade == 'C');
    assert_true(reported[0].low == 980 && reported[0].high == 1200);
}

/* The same where frames are in order: the level may hold no more than the first of both knees shows. */
static void a_sharp_rise_of_two_knees_begins_at_the_first(void **state)
{
    struct verdict v = staircase(1000, 1500);
    const struct experiment e = {.name = "groups", .confounder = "prefetchers", .verdict = &v};

    (void)state;
    count = 0;
    hierarchy_report(NULL, &(struct hierarchy){.capacity = "bytes", .step = 1, .before = 1}, &e, 1);
    assert_true(count > 0 && reported[0].value == 1500 && reported[0].grade == 'C');
    assert_true(reported[0].low == v.knees[0].low && reported[0].high == v.knees[1].high);
}

/* The search ended before the second edge, so most of that level belongs to the one behind it. */
static void a_level_higher_than_its_rise_hides_another(void **state)
{
    struct verdict groups = staircase(1000, 6000);
    const struct verdict whole = staircase(1000, 6000);

    (void)state;
    groups.count = 1;
    groups.level_count = 2;
    groups.levels[1].height = 390;
    report_levels(0, &groups, &whole);
    assert_true(bytes(2)->value == 1000 && cycles(2)->value == 14);
    assert_true(isnan(bytes(3)->value) && isnan(cycles(3)->value));
    assert_int_equal(bytes(3)->reason, REASON_LEVEL_MAY_HIDE);
    assert_true(isnan(bytes(4)->value) && isnan(cycles(4)->value));
}

/* What `groups` reports of the second level, one experiment of caches that are not shared. */
static enum reason second_level_of(const struct verdict *groups)
{
    const struct verdict whole = {.level_count = 1, .levels = {{.height = 60}}};

    report_levels(0, groups, &whole);
    return bytes(3)->reason;
}

/* LEVEL_RISES: a level a third above the end of its rise is that level, one three quarters above it hides another. */
static void a_level_may_lie_somewhat_above_the_end_of_its_rise(void **state)
{
    struct verdict v = staircase(1000, 6000);

    (void)state;
    v.levels[1].height = 60; /* the rise ends at 45 */
    assert_int_equal(second_level_of(&v), REASON_NONE);
    v.levels[1].height = 80;
    assert_int_equal(second_level_of(&v), REASON_LEVEL_MAY_HIDE);
}

/* LEVEL_SCATTERS: behind a capacity misses cost the same at every count within a twentieth, in a saw-tooth they differ
 * by a fifth. */
static void a_capacity_before_a_saw_tooth_is_none(void **state)
{
    static const struct {
        double spread;
        enum reason reason;
    } cases[] = {{0.05, REASON_NONE}, {0.2, REASON_NO_LEVEL_BEHIND}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct verdict v = staircase(1000, 6000);
        const struct experiment e = {.name = "pages", .confounder = "caches", .verdict = &v};
        v.levels[1].spread = cases[i].spread;
        count = 0;
        hierarchy_report(NULL,
                         &(struct hierarchy){
                             .capacity = "entries", .step = 1, .scattered = true, .steady_behind = true, .before = 1},
                         &e, 1);
        assert_int_equal(reported[0].reason, cases[i].reason);
    }
}

/* MINOR_STEP: a first step of 26 cycles before one of 350 is minor; one of 131 before one of 245 ends the level. */
static void a_minor_step_before_a_much_higher_one_is_not_the_end_of_the_first_level(void **state)
{
    static const struct {
        double between, capacity;
    } cases[] = {{40, 1500}, {145, 1000}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct verdict v = staircase(1000, 1500); /* too near each other to be two levels */
        const struct experiment e = {.name = "pages", .confounder = "caches", .verdict = &v};
        v.knees[0].after = v.knees[1].before = v.levels[1].height = cases[i].between;
        count = 0;
        hierarchy_report(NULL, &(struct hierarchy){.capacity = "entries", .step = 1}, &e, 1);
        assert_true(reported[0].value == cases[i].capacity);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_two_experiments_agree_on_is_reported_although_others_share_the_level),
        cmocka_unit_test(the_rest_that_others_leave_is_no_capacity_and_hides_levels_behind),
        cmocka_unit_test(one_experiment_is_enough_for_a_level_that_is_not_shared),
        cmocka_unit_test(a_rise_of_two_knees_begins_at_the_first),
        cmocka_unit_test(a_sharp_rise_of_two_knees_begins_at_the_first),
        cmocka_unit_test(a_level_higher_than_its_rise_hides_another),
        cmocka_unit_test(a_level_may_lie_somewhat_above_the_end_of_its_rise),
        cmocka_unit_test(a_capacity_before_a_saw_tooth_is_none),
        cmocka_unit_test(a_minor_step_before_a_much_higher_one_is_not_the_end_of_the_first_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
