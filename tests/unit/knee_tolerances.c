/* Curves on either side of a threshold of lib/knee/tolerances.h: moving it far changes what is reported of one of
 * them. */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/knee/curve.h"
#include "lib/knee/half_rise.h"
#include "lib/knee/knee.h"
#include "lib/knee/passes.h"
#include "lib/knee/plateau.h"
#include "lib/knee/smooth.h"
#include "tests/unit/knee_points.h"

enum { PASSES_MADE = 3 };

/* Whether a knee at point number `at`, from `before` to `after`, stands out of the points around it. */
static bool stands(const struct points *r, size_t at, double before, double after)
{
    const struct knee k = {.value = (double)at, .end = (double)at + 1, .before = before, .after = after};
    struct curve c;
    bool good = true;

    assert_true(curve_load(r->p, r->count, 1, false, &c));
    c.least_rise = 3;
    const bool stands = stands_out(&c, 0, c.s.count, &k, &good);
    assert_true(good);
    curve_release(&c);
    return stands;
}

/* TICKS_OF_RISE */
static void a_rise_of_one_tick_is_no_knee_and_one_of_two_ticks_is(void **state)
{
    struct points r = {.count = 0};

    (void)state;
    for (size_t i = 0; i < 10; i++)
        add(&r, 10 + (double)i, 20);
    assert_false(stands(&r, 40, 11, 12));
    assert_true(stands(&r, 40, 11, 13));
}

/* DEVIATION_REACH */
static void noise_far_from_a_knee_does_not_hide_it(void **state)
{
    struct points r = {.count = 0};

    (void)state;
    add(&r, 50, 130);
    add(&r, 54, 60);
    disturb(&r, 0, 104, 10, 1);
    disturb(&r, 104, 190, 0.5, 2);
    assert_true(stands(&r, 130, 50, 54));
}

/* LEVEL_ERROR */
static void a_point_just_above_half_of_a_rise_is_above_it(void **state)
{
    struct points r = {.count = 0};

    (void)state;
    add(&r, 10, 40);
    add(&r, 10 + 0.502 * 10, 1);
    add(&r, 20, 40);
    const struct verdict v = decide(KNEE_STEP, &r);
    assert_int_equal(v.count, 1);
    assert_true(v.knees[0].half_rise_low == 40 && v.knees[0].half_rise_high == 41);
}

/* MIDDLE_FROM, MIDDLE_TO, BENT_MIDDLE: of 100 noisy ramps, where the half-rise is and how wide its interval */
static void the_half_rise_of_a_slow_ramp_is_known_well(void **state)
{
    double width = 0;
    unsigned inside = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct points r = {.count = 0};
        add(&r, 10, 100);
        climb(&r, 0.1, 200); /* from x = 100 to 300; half at 200 */
        add(&r, 30, 100);
        disturb(&r, 0, r.count, 1, seed);
        const struct verdict v = decide(KNEE_STEP, &r);
        assert_int_equal(v.count, 1);
        inside += v.knees[0].half_rise_low <= 200 && v.knees[0].half_rise_high >= 200;
        width += (v.knees[0].half_rise_high - v.knees[0].half_rise_low) / 100;
    }
    assert_true(inside >= 95);
    assert_true(width < 18);
}

/* WITHIN_RAMP, BEGIN_MARGIN, HALF_RISE_MARGIN */
static void the_beginning_of_a_ramp_is_known_well(void **state)
{
    double width = 0;
    unsigned inside = 0, agreed = 0, half_agreed = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct points r = {.count = 0};
        add(&r, 10, 100);
        climb(&r, 0.5, 60);
        add(&r, 40, 100);
        disturb(&r, 0, r.count, 1.5, seed);
        const struct verdict v = decide(KNEE_STEP, &r);
        assert_int_equal(v.count, 1);
        inside += v.knees[0].low <= 100 && v.knees[0].high > 100;
        width += (v.knees[0].high - v.knees[0].low) / 200;
        agreed += v.knees[0].agreed;
        half_agreed += v.knees[0].half_rise_agreed;
    }
    assert_true(inside >= 190);
    assert_true(width < 16);
    assert_true(agreed >= 190 && half_agreed >= 194);
}

/* STEEPER */
static void a_rise_is_much_steeper_than_the_levels_beside_it(void **state)
{
    (void)state;
    for (int steep = 0; steep < 2; steep++) {
        struct points r = {.count = 0};
        add(&r, 100, 1);
        climb(&r, 1, 80);
        climb(&r, steep ? 3.5 : 1.4, 60);
        climb(&r, 1, 80);
        disturb(&r, 0, r.count, 0.5, 3);
        assert_int_equal(decide(KNEE_JUMP, &r).count, steep);
    }
}

/* Knees of a curve whose two rises of 60 points each have so many points at one height between them. */
static size_t knees_of_two_ramps(size_t between, uint64_t seed)
{
    struct points r = {.count = 0};

    add(&r, 10, 100);
    climb(&r, 0.4, 60);
    climb(&r, 0, between);
    climb(&r, 0.4, 60);
    add(&r, 58, 100);
    disturb(&r, 0, r.count, 0.3, seed);
    return decide(KNEE_STEP, &r).count;
}

/* BENT_PART */
static void a_level_between_two_ramps_is_about_as_long_as_they_are(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        assert_int_equal(knees_of_two_ramps(8, seed), 1);
        assert_int_equal(knees_of_two_ramps(32, seed), 2);
    }
}

/* Where the level is left before a ramp of 60 points that begins with so many flatter ones. */
static double left_before_toe(size_t toe, uint64_t seed)
{
    struct points r = {.count = 0};

    add(&r, 10, 40);
    climb(&r, 0.009, toe);
    climb(&r, 0.1, 60);
    climb(&r, 0, 60);
    disturb(&r, 0, r.count, 0.004, seed);
    const struct verdict v = decide(KNEE_STEP, &r);
    assert_int_equal(v.count, 1);
    return v.knees[0].value;
}

/* TOE_PART */
static void a_short_flat_beginning_belongs_to_its_ramp(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        assert_in_range((uint64_t)left_before_toe(24, seed), 38, 44);
        assert_in_range((uint64_t)left_before_toe(45, seed), 80, 87);
    }
}

/*
 * FOOT. A foot of FOOT * 0.05 a step, in noise of 0.01, shows by SURE deviations with (27 * 2^2)^(1/3) = 4.8 points.
 */
static void a_foot_of_a_ramp_may_be_hidden(void **state)
{
    double unseen = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 32; seed++) {
        struct points r = {.count = 0};
        add(&r, 1, 60);
        climb(&r, 0.05, 20);
        add(&r, 2, 20);
        disturb(&r, 0, r.count, 0.01, seed);
        const struct verdict v = decide(KNEE_STEP, &r);
        assert_int_equal(v.count, 1);
        assert_true(v.knees[0].ramp);
        unseen += v.knees[0].unseen / 32;
    }
    assert_true(unseen > 3 && unseen < 8);
}

/* UNEXPLAINED */
static void a_small_bump_beside_a_jump_does_not_make_it_ambiguous(void **state)
{
    struct points r = {.count = 0};

    (void)state;
    add(&r, 10, 400);
    add(&r, 20, 200);
    add(&r, 25.2, 4);
    add(&r, 20, 196);
    disturb(&r, 0, r.count, 0.1, 11);
    const struct verdict v = decide(KNEE_JUMP, &r);
    assert_int_equal(v.count, 1);
    assert_true(v.knees[0].low == 400);
}

/* BACK_POINTS */
static void what_lies_before_a_return_is_seen_by_itself(void **state)
{
    struct points r = {.count = 0};

    (void)state;
    add(&r, 10, 20);
    add(&r, 20, 30);
    add(&r, 10, 5);
    disturb(&r, 0, r.count, 0.1, 10);
    const struct verdict v = decide(KNEE_STEP, &r);
    assert_int_equal(v.count, 1);
    assert_true(v.knees[0].value == 20 && v.knees[0].agreed);
}

/* RAMP_SHARE */
static void a_level_between_two_jumps_is_no_part_of_one(void **state)
{
    struct points r = {.count = 0};

    (void)state;
    add(&r, 10, 40);
    add(&r, 13, 1);
    climb(&r, 0.1, 30);
    add(&r, 20, 40);
    disturb(&r, 0, r.count, 0.05, 4);
    assert_int_equal(decide(KNEE_JUMP, &r).count, 0);
}

/* ABOVE_LINE_PERCENT, ON_LINE_PERCENT */
static void both_views_see_a_plain_slope_change(void **state)
{
    struct points r = {.count = 0};

    (void)state;
    add(&r, 10, 1);
    climb(&r, 0.5, 39);
    climb(&r, 9, 40);
    disturb(&r, 0, r.count, 0.1, 5);
    const struct verdict v = decide(KNEE_SLOPE, &r);
    assert_int_equal(v.count, 1);
    assert_true(v.knees[0].agreed);
}

/* COMES_BACK_PERCENT */
static void a_slope_that_comes_back_is_a_wave(void **state)
{
    struct points r = {.count = 0};

    (void)state;
    add(&r, 5, 50);
    climb(&r, 1, 40);
    add(&r, 11, 3);
    disturb(&r, 0, r.count, 0.1, 6);
    assert_int_equal(decide(KNEE_SLOPE, &r).count, 0);
}

/* RESIDENT */
static void little_is_not_lost(void **state)
{
    struct search_point points[] = {{.x = 1, .y = 10}, {.x = 2, .y = 10.4}, {.x = 3, .y = 10.8}, {.x = 4, .y = 14},
                                    {.x = 5, .y = 16}, {.x = 6, .y = 19.2}, {.x = 7, .y = 19.6}, {.x = 8, .y = 20}};
    struct search s = {.points = points, .count = sizeof points / sizeof points[0]};

    (void)state;
    half_rise_decide(&s, 20);
    assert_true(s.verdict.knees[0].low == 2 && s.verdict.knees[0].high == 7);
}

static size_t departures_of(const struct points *r, struct departure *out)
{
    double x[POINTS_MAXIMUM], y[POINTS_MAXIMUM];

    for (size_t i = 0; i < r->count; i++) {
        x[i] = r->p[i].x;
        y[i] = r->p[i].y;
    }
    return plateau_departures(x, y, r->count, out, 8);
}

/* PLATEAU_NOISE_REACH */
static void the_second_view_sees_a_small_step_where_it_is_quiet(void **state)
{
    struct points r = {.count = 0};
    struct departure d[8];

    (void)state;
    add(&r, 50, 100);
    add(&r, 54, 25);
    add(&r, 90, 75);
    disturb(&r, 0, 75, 8, 7);
    disturb(&r, 75, 125, 0.5, 8);
    disturb(&r, 125, 200, 8, 9);
    assert_int_equal(departures_of(&r, d), 2);
    assert_true(d[0].low >= 99 && d[0].high <= 102);
}

/* LOOK_AHEAD */
static void the_second_view_looks_ahead_a_few_points(void **state)
{
    struct points r = {.count = 0};
    struct departure d[8];

    (void)state;
    add(&r, 10, 40);
    add(&r, 20, 8);
    add(&r, 10, 3);
    add(&r, 20, 40);
    assert_int_equal(departures_of(&r, d), 1);
    assert_true(d[0].low == 40);
}

/* Whether three passes show a knee behind x = 50 that ends at `end`; the third pass adds `late` to points
 * from … to - 1. */
static bool passes_show_it(const struct points *r, double end, size_t from, size_t to, double late)
{
    static double y[PASSES_MADE * POINTS_MAXIMUM];
    const struct knee_passes passes = {.count = PASSES_MADE, .y = y};
    const struct knee k = {.value = 50, .low = 50, .high = 51, .end = end, .before = 10, .after = 20};
    bool good = true;

    for (size_t i = 0; i < r->count; i++)
        for (size_t pass = 0; pass < PASSES_MADE; pass++)
            y[pass * r->count + i] = r->p[i].y + (pass == 2 && i >= from && i < to ? late : 0);
    const bool show = passes_show(KNEE_STEP, r->p, r->count, &passes, &k, &good);
    assert_true(good);
    return show;
}

/* PASS_SHARE, PASS_REACH */
static void a_pass_shows_a_knee_that_it_moves_with_by_less_than_half(void **state)
{
    struct points r = {.count = 0};

    (void)state;
    add(&r, 10, 50);
    add(&r, 20, 50);
    assert_true(passes_show_it(&r, 51, 50, 100, 4));
    assert_false(passes_show_it(&r, 51, 50, 100, 6));
    assert_true(passes_show_it(&r, 51, 50, 52, 9)); /* two points of the third pass were disturbed */
}

/* PASS_WIDE */
static void a_short_disturbance_on_a_wide_rise_is_ignored(void **state)
{
    struct points r = {.count = 0};

    (void)state;
    add(&r, 10, 50);
    climb(&r, 0.125, 80);
    add(&r, 20, 50);
    assert_true(passes_show_it(&r, 130, 90, 97, 9));
}

/* SCATTER_OF_MEDIANS: two passes of noise alone have nothing in common, and a step of five deviations is found. */
static void noise_of_passes_is_nothing_in_common(void **state)
{
    enum { COUNT = 160 };
    static double y[2 * COUNT];
    const struct knee_passes passes = {.count = 2, .y = y};
    unsigned found = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct points first = {.count = 0}, second = {.count = 0};
        struct verdict v;
        add(&first, 100, COUNT / 2);
        add(&first, 105, COUNT / 2);
        second = first;
        disturb(&first, 0, COUNT, 1, 2 * seed + 1);
        disturb(&second, 0, COUNT, 1, 2 * seed + 2);
        for (size_t i = 0; i < COUNT; i++) {
            y[i] = first.p[i].y;
            y[COUNT + i] = second.p[i].y;
            first.p[i].y = (y[i] + y[COUNT + i]) / 2;
        }
        assert_true(knee_decide_passes(KNEE_STEP, first.p, COUNT, 1, &passes, &v));
        found += v.count == 1;
    }
    assert_true(found > 40);
}

/* Knees of a step from 1 to 2, behind which single points fall to so much below the middle, four times. */
static size_t knees_with_dips(double below)
{
    struct points r = {.count = 0};

    add(&r, 1, 60);
    for (unsigned i = 0; i < 4; i++) {
        add(&r, 2, 14);
        add(&r, 1.5 - below, 1);
    }
    add(&r, 2, 14);
    for (size_t i = 0; i < r.count; i++)
        r.p[i].error = 0.2; /* RISE of these are more than half of the rise */
    return decide(KNEE_STEP, &r).count;
}

static void a_crossing_is_farther_than_an_eighth_of_the_rise(void **state)
{
    (void)state;
    assert_int_equal(knees_with_dips(0.2), 0);
    assert_int_equal(knees_with_dips(0.08), 1);
}

/* Adds points that differ from the one before by `by`, up and down in turn. */
static void zigzag(struct points *r, double by, size_t times)
{
    for (size_t i = 0; i < times; i++)
        add(r, r->p[r->count - 1].y + (i % 2 ? -by : by), 1);
}

static double tick_of_points(struct points *r)
{
    struct curve c;

    for (size_t i = 0; i < r->count; i++)
        r->p[i].error = 0; /* none of them is set aside */
    assert_true(curve_load(r->p, r->count, 1, false, &c));
    const double tick = c.tick;
    curve_release(&c);
    return tick;
}

/* Six differences of one tick are one in four of 24, and fewer of 36. */
static void one_difference_in_four_is_one_tick(void **state)
{
    struct points often = {.count = 0}, seldom = {.count = 0};

    (void)state;
    add(&often, 1, 1);
    zigzag(&often, 0.25, 6);
    zigzag(&often, 0.75, 18);
    assert_true(tick_of_points(&often) == 0.25);
    add(&seldom, 1, 1);
    zigzag(&seldom, 0.25, 6);
    zigzag(&seldom, 0.75, 30);
    assert_true(tick_of_points(&seldom) == 0);
}

/* Differences of a tick and of two are not the same, and rounded ones of a tick are. */
static void rounded_ticks_are_equal(void **state)
{
    struct points two = {.count = 0}, rounded = {.count = 0};

    (void)state;
    add(&two, 1, 1);
    zigzag(&two, 0.25, 4);
    zigzag(&two, 0.5, 4);
    assert_true(tick_of_points(&two) == 0);
    add(&rounded, 1, 1);
    zigzag(&rounded, 0.25, 4);
    zigzag(&rounded, 0.2501, 4);
    assert_true(tick_of_points(&rounded) > 0.2499);
}

/*
 * OFF_POINTS: five flat points and four that rise lie as far from a smooth curve on one side of the bend as on the
 * other. Where each was measured once, the last ones may be a burst.
 */
static void five_flat_points_and_four_rising_ones_are_a_bend(void **state)
{
    (void)state;
    for (unsigned noisy = 0; noisy < 2; noisy++) {
        struct points r = {.count = 0};
        add(&r, 10, 5);
        climb(&r, 2, 4);
        disturb(&r, 0, r.count, noisy ? 0.02 : 0, 7);
        assert_int_equal(decide(KNEE_SLOPE, &r).count, 0);
        for (size_t i = 0; i < r.count; i++)
            r.p[i].error = noisy ? 0.02 : 0;
        const struct verdict v = decide(KNEE_SLOPE, &r);
        assert_int_equal(v.count, 1);
        assert_true(v.knees[0].low <= 5 && v.knees[0].high > 5 && v.knees[0].high <= 7);
    }
}

/* OFF_POINTS: two neighbours that are disturbed do not show in medians of five. */
static void two_disturbed_points_hide_no_smooth_curve_of_many(void **state)
{
    enum { COUNT = 24, DISTURBED = 12 };
    struct points r = {.count = 0};
    struct curve c;
    bool good = true;

    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        add(&r, 100 + 0.1 * (double)(i * i), 1);
    disturb(&r, 0, COUNT, 0.05, 3);
    for (size_t i = 0; i < COUNT; i++)
        r.p[i].error = 0.05;
    r.p[DISTURBED].y += 1;
    r.p[DISTURBED + 1].y += 1;
    assert_true(curve_load(r.p, r.count, 1, false, &c));
    c.least_rise = 4;
    assert_true(goes_on_smoothly(&c, 0, c.s.count, &good) && good);
    curve_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rise_of_one_tick_is_no_knee_and_one_of_two_ticks_is),
        cmocka_unit_test(noise_far_from_a_knee_does_not_hide_it),
        cmocka_unit_test(a_point_just_above_half_of_a_rise_is_above_it),
        cmocka_unit_test(the_half_rise_of_a_slow_ramp_is_known_well),
        cmocka_unit_test(the_beginning_of_a_ramp_is_known_well),
        cmocka_unit_test(a_rise_is_much_steeper_than_the_levels_beside_it),
        cmocka_unit_test(a_level_between_two_ramps_is_about_as_long_as_they_are),
        cmocka_unit_test(a_short_flat_beginning_belongs_to_its_ramp),
        cmocka_unit_test(a_foot_of_a_ramp_may_be_hidden),
        cmocka_unit_test(a_small_bump_beside_a_jump_does_not_make_it_ambiguous),
        cmocka_unit_test(what_lies_before_a_return_is_seen_by_itself),
        cmocka_unit_test(a_level_between_two_jumps_is_no_part_of_one),
        cmocka_unit_test(both_views_see_a_plain_slope_change),
        cmocka_unit_test(a_slope_that_comes_back_is_a_wave),
        cmocka_unit_test(little_is_not_lost),
        cmocka_unit_test(the_second_view_sees_a_small_step_where_it_is_quiet),
        cmocka_unit_test(the_second_view_looks_ahead_a_few_points),
        cmocka_unit_test(a_pass_shows_a_knee_that_it_moves_with_by_less_than_half),
        cmocka_unit_test(a_short_disturbance_on_a_wide_rise_is_ignored),
        cmocka_unit_test(noise_of_passes_is_nothing_in_common),
        cmocka_unit_test(a_crossing_is_farther_than_an_eighth_of_the_rise),
        cmocka_unit_test(one_difference_in_four_is_one_tick),
        cmocka_unit_test(rounded_ticks_are_equal),
        cmocka_unit_test(five_flat_points_and_four_rising_ones_are_a_bend),
        cmocka_unit_test(two_disturbed_points_hide_no_smooth_curve_of_many),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
