/*
 * How noisy the points of a curve are: lib/knee/curve.h. Each threshold that this needs is moved by tests/tolerances,
 * and one of these tests then fails.
 */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/knee/curve.h"
#include "lib/knee/knee.h"
#include "lib/knee/steps.h"
#include "tests/unit/knee_points.h"

/* The standard deviation of 40 points on one level or two, which scatter by `noise`. */
static double sigma_of(double low, double high, double noise)
{
    struct points r = {.count = 0};
    struct curve c;

    add(&r, low, 20);
    add(&r, high, 20);
    disturb(&r, 0, r.count, noise, 1);
    assert_true(curve_load(r.p, r.count, 1, false, &c));
    const double sigma = c.sigma;
    curve_release(&c);
    return sigma;
}

/* Scatter of the last digits counts as none. */
static void arithmetic_is_no_noise(void **state)
{
    (void)state;
    assert_true(sigma_of(1, 1, 1e-12) == 0);
    assert_true(sigma_of(1, 1, 4e-12) > 0);
    assert_true(sigma_of(0, 1, 1e-7) == 0);
    assert_true(sigma_of(0, 1, 4e-7) > 0);
}

/*
 * Levels of `level` points at 1 and at `second`, which scatter by 0.01, before 40 points at 10 that scatter by 2: the
 * knees that are found, and the largest deviation of a point of the first level.
 */
static struct verdict quiet_levels(size_t level, double second, double *deviation)
{
    struct points r = {.count = 0};
    struct curve c;

    add(&r, 1, level);
    add(&r, second, level);
    add(&r, 10, 40);
    disturb(&r, 0, 2 * level, 0.01, 1);
    disturb(&r, 2 * level, r.count, 2, 2);
    assert_true(curve_load(r.p, r.count, 1, false, &c));
    *deviation = 0;
    for (size_t i = 0; i < level; i++)
        *deviation = fmax(*deviation, sqrt(c.s.variance[i]));
    curve_release(&c);
    return decide(KNEE_STEP, &r);
}

/*
 * STRETCH_LEAST, SHORT_STRETCHES, SHORT_TIMES; LONG_STRETCHES, LONG_POINTS, LONG_TIMES: what a stretch shows of noise
 * is an upper limit, the lower the longer the stretch is.
 */
static void a_quiet_level_is_not_as_noisy_as_others(void **state)
{
    double deviation;
    const struct verdict v = quiet_levels(8, 1.2, &deviation);

    (void)state;
    assert_int_equal(v.count, 2);
    assert_true(v.knees[0].low <= 8 && v.knees[0].high > 8 && v.knees[1].low <= 16 && v.knees[1].high > 16);
    assert_true(deviation > 0.02 && deviation < 0.05);
    quiet_levels(4, 2, &deviation);
    assert_true(deviation > 0.1 && deviation < 0.4);
    quiet_levels(6, 2, &deviation);
    assert_true(deviation > 0.025 && deviation < 0.06);
    quiet_levels(12, 2, &deviation);
    assert_true(deviation > 0.015 && deviation < 0.035);
    /* three points show nothing */
    quiet_levels(3, 2, &deviation);
    assert_true(deviation > 1);
}

struct level {
    double y, scatter;
    size_t points;
};

static struct verdict decide_levels(const struct level *levels, size_t count, uint64_t seed)
{
    struct points r = {.count = 0};

    for (size_t i = 0; i < count; i++) {
        add(&r, levels[i].y, levels[i].points);
        disturb(&r, r.count - levels[i].points, r.count, levels[i].scatter, 100 * seed + i);
    }
    return decide(KNEE_STEP, &r);
}

/*
 * A step of ten deviations between two levels of eight points, before three levels that scatter far more: the limits of
 * noise are too high for it, and the points of the two levels themselves show it. Of 40 such curves the first knee of
 * none was found before there were limits, of four by limits alone, and of 18 now.
 */
static void a_piece_of_two_levels_is_cut_by_its_own_scatter(void **state)
{
    static const struct level levels[] = {{10, 0.05, 8}, {10.5, 0.05, 8}, {17, 0.15, 13}, {60, 1.5, 13}, {150, 4, 14}};
    unsigned found = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        const struct verdict v = decide_levels(levels, sizeof levels / sizeof levels[0], seed);
        assert_true(v.count > 0);
        const bool first = v.knees[0].low <= 8 && v.knees[0].high > 8;
        assert_true(first || (v.knees[0].low <= 16 && v.knees[0].high > 16));
        found += first;
    }
    assert_true(found >= 12);
}

/*
 * A quiet level of five points and two noisier ones that look like one line, before two that scatter far more. Of 40
 * such curves the first knee of three was found while a piece was cut only by the scatter that both sides of a cut
 * share, and of 27 now.
 */
static void levels_that_look_like_a_line_are_cut(void **state)
{
    static const struct level levels[] = {{3.5, 0.014, 5}, {4.4, 0.05, 5}, {5.4, 0.22, 9}, {24, 2.2, 20}, {57, 9, 20}};
    unsigned found = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        const struct verdict v = decide_levels(levels, sizeof levels / sizeof levels[0], seed);
        found += v.count > 0 && v.knees[0].low <= 5 && v.knees[0].high > 5;
    }
    assert_true(found >= 20);
}

/*
 * A level of seven points and a noisier one, before three that scatter far more: where the first knee is not found,
 * there is a doubt about those behind it.
 */
static void levels_that_are_not_told_apart_leave_a_doubt(void **state)
{
    static const struct level levels[] = {{50, 0.2, 7}, {54, 0.7, 15}, {70, 2, 12}, {150, 8, 16}, {500, 90, 20}};
    unsigned missed = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        const struct verdict v = decide_levels(levels, sizeof levels / sizeof levels[0], seed);
        assert_true(v.count > 0);
        if (v.knees[0].low <= 7 && v.knees[0].high > 7)
            continue;
        missed++;
        for (size_t i = 0; i < v.count; i++)
            assert_true(v.knees[i].doubtful);
    }
    assert_true(missed > 0);
}

/* Whether there is a doubt about a knee behind two levels of eight points, the second one higher by `step`. */
static bool doubtful(double step)
{
    struct points r = {.count = 0};
    struct curve c;

    add(&r, 10, 8);
    add(&r, 10 * (1 + step), 8);
    add(&r, 20, 8);
    disturb(&r, 0, r.count, 0.02, 3);
    assert_true(curve_load(r.p, r.count, 1, false, &c));
    const bool doubt = steps_level_may_be_several(&c, &(struct knee){.low = 16}, 1);
    curve_release(&c);
    return doubt;
}

/* DOUBTFUL_RISE: what neighbours of a structure add to its level is no level of its own. */
static void a_small_step_leaves_no_doubt(void **state)
{
    (void)state;
    assert_false(doubtful(0));
    assert_false(doubtful(0.03));
    assert_true(doubtful(0.08));
}

/* Of 40 curves of such levels, those that have a knee at x. */
static unsigned found_at(const struct level *levels, size_t count, double x)
{
    unsigned found = 0;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        const struct verdict v = decide_levels(levels, count, seed);
        for (size_t i = 0; i < v.count; i++)
            found += v.knees[i].low <= x && v.knees[i].high > x;
    }
    return found;
}

/*
 * Points that scatter far more than those of the level before are no spikes, when most of them do, nor when so many of
 * them would be dropped that they are a level. Of 40 such curves the knee of 25 was found when they were, and of 16 of
 * the second kind; now of 36, and of 25.
 */
static void points_of_a_noisier_level_are_no_spikes(void **state)
{
    static const struct level two[] = {{10, 0.005, 13}, {17, 1, 14}},
                              three[] = {{3.5, 0.002, 9}, {17.7, 0.09, 10}, {50, 1.5, 4}};

    (void)state;
    assert_true(found_at(two, 2, 13) >= 32);
    assert_true(found_at(three, 3, 19) >= 21);
}

/*
 * BURST_POINTS: a level is left, however much the one behind it scatters, if many points lie clearly above it; eight of
 * them, two bursts, are too few.
 */
static void a_quiet_level_is_left_by_noisy_points(void **state)
{
    static const struct level many[] = {{10, 0.03, 14}, {18, 2.6, 26}}, few[] = {{10, 0.03, 14}, {18, 2.6, 8}};

    (void)state;
    assert_true(found_at(many, 2, 14) >= 30);
    assert_true(found_at(few, 2, 14) <= 20);
}

/* NEAREST_OF_THREE: few points that were measured repeatedly, most of them beside a step: each step is a knee. */
static void short_levels_that_repeat_are_levels(void **state)
{
    static const struct level levels[] = {{3.6, 0.002, 3}, {17.9, 0.02, 5}, {41, 0.03, 4}, {225, 0.3, 3}};
    struct points r = {.count = 0};
    double sum = 0;

    (void)state;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        add(&r, levels[i].y, levels[i].points);
        disturb(&r, r.count - levels[i].points, r.count, levels[i].scatter, i);
    }
    for (size_t i = 0; i < r.count; i++)
        r.p[i].error = r.p[i].y / 1000;
    const struct verdict v = decide(KNEE_STEP, &r);
    assert_int_equal(v.count, 3);
    assert_true(v.knees[0].value == 3 && v.knees[1].value == 8 && v.knees[2].value == 12);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct points flat = {.count = 0};
        struct curve c;
        add(&flat, 1, 20);
        disturb(&flat, 0, flat.count, 0.1, seed);
        for (size_t i = 0; i < flat.count; i++)
            flat.p[i].error = 0.001;
        assert_true(curve_load(flat.p, flat.count, 1, false, &c));
        sum += c.sigma / 40;
        curve_release(&c);
    }
    assert_true(sum > 0.06 && sum < 0.16);
}

/*
 * A level that slopes, as of a reorder buffer, and a ramp of four points: the second view sees it less that slope. Of
 * 40 such curves the knee of 33 was agreed when it did not.
 */
static void the_second_view_knows_a_level_that_slopes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct points r = {.count = 0};
        add(&r, 100, 1);
        climb(&r, 0.3, 99);
        climb(&r, 5, 4);
        climb(&r, 0.3, 70);
        disturb(&r, 0, r.count, 0.3, seed);
        const struct verdict v = decide(KNEE_STEP, &r);
        assert_int_equal(v.count, 1);
        assert_true(v.knees[0].agreed && v.knees[0].low <= 100 && v.knees[0].high > 100);
    }
}

/*
 * The same in the points of a search, few on the level and many on the ramp: of a reorder buffer of a core that delivers
 * four instructions a cycle.
 */
static void a_search_knows_a_level_that_slopes(void **state)
{
    static const double before[] = {6, 9, 12, 18, 24, 36, 48, 72, 96, 144, 192, 200, 288},
                        behind[] = {304, 320, 352, 384, 400, 576, 768, 774};
    struct points r = {.count = 0};
    double y[2 * POINTS_MAXIMUM];
    struct verdict v;

    (void)state;
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
        r.p[r.count++] = (struct knee_point){before[i], 150 + 0.25 * before[i], 0};
    for (unsigned x = 290; x <= 296; x++)
        r.p[r.count++] = (struct knee_point){x, 222 + 9 * (x - 288), 0};
    for (size_t i = 0; i < sizeof behind / sizeof behind[0]; i++)
        r.p[r.count++] = (struct knee_point){behind[i], 222 + 0.25 * behind[i], 0};
    for (size_t i = 0; i < r.count; i++)
        y[i] = y[r.count + i] = r.p[i].y;
    assert_true(knee_decide_searched(KNEE_JUMP, r.p, r.count, 1, &(struct knee_passes){2, y}, &v));
    assert_int_equal(v.count, 1);
    assert_true(v.knees[0].agreed && v.knees[0].low <= 288 && v.knees[0].high > 288);
}

/* Where readings are equal, the least difference of any is the tick that may hide between them. */
static void equal_readings_may_hide_a_tick(void **state)
{
    struct points r = {.count = 0};
    struct curve c;

    (void)state;
    add(&r, 1, 10);
    add(&r, 1.01, 10);
    add(&r, 10, 40);
    disturb(&r, 20, r.count, 2, 2);
    assert_true(curve_load(r.p, r.count, 1, false, &c));
    assert_true(sqrt(c.s.variance[4]) > 0.009 && sqrt(c.s.variance[4]) < 0.011);
    curve_release(&c);
    const struct verdict v = decide(KNEE_STEP, &r);
    assert_int_equal(v.count, 1);
    assert_true(v.knees[0].low <= 20 && v.knees[0].high > 20);
}

/* A point whose samples agree by chance is still off by a part of what its neighbours scatter, and no less. */
static void a_point_scatters_as_its_neighbours_do(void **state)
{
    enum { COUNT = 40, EXACT = 20 };
    struct points r = {.count = 0};
    struct curve c;

    (void)state;
    add(&r, 1, COUNT);
    disturb(&r, 0, COUNT, 0.01, 1);
    for (size_t i = 0; i < COUNT; i++)
        r.p[i].error = i == EXACT ? 0 : 0.02;
    assert_true(curve_load(r.p, r.count, 1, false, &c));
    assert_true(c.s.variance[EXACT] > 0.0015 * 0.0015 && c.s.variance[EXACT] < 0.004 * 0.004);
    curve_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_is_no_noise),
        cmocka_unit_test(a_quiet_level_is_not_as_noisy_as_others),
        cmocka_unit_test(a_piece_of_two_levels_is_cut_by_its_own_scatter),
        cmocka_unit_test(levels_that_look_like_a_line_are_cut),
        cmocka_unit_test(levels_that_are_not_told_apart_leave_a_doubt),
        cmocka_unit_test(a_small_step_leaves_no_doubt),
        cmocka_unit_test(points_of_a_noisier_level_are_no_spikes),
        cmocka_unit_test(a_quiet_level_is_left_by_noisy_points),
        cmocka_unit_test(short_levels_that_repeat_are_levels),
        cmocka_unit_test(the_second_view_knows_a_level_that_slopes),
        cmocka_unit_test(a_search_knows_a_level_that_slopes),
        cmocka_unit_test(equal_readings_may_hide_a_tick),
        cmocka_unit_test(a_point_scatters_as_its_neighbours_do),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
