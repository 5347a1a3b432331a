/* The knee rules give back the stairs and bends that were put into a curve, and none where there are none. */
/* link: lib/knee.c lib/plateau.c lib/segment.c lib/statistics.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/knee.h"
#include "lib/statistics.h"

enum { POINTS = 256, ROOM = 8, PER_OCTAVE = 8 };

static const double TOLERANCE = 0.12, SPAN = 1.4;

struct curve {
    double x[POINTS], y[POINTS];
    size_t count;
};

/* Points on an axis of eight to an octave. */
static void add(struct curve *c, double y, size_t times)
{
    for (; times > 0; times--, c->count++) {
        c->x[c->count] = exp2((double)c->count / PER_OCTAVE);
        c->y[c->count] = y;
    }
}

static size_t levels_of(const struct curve *c, struct level *out)
{
    return knee_levels(c->x, c->y, c->count, TOLERANCE, SPAN, out, ROOM);
}

/* Uniform in -1 … 1. */
static double noise(uint64_t *random)
{
    return (double)(random_next(random) >> 11) / 4503599627370496.0 - 1;
}

/* ---- Stairs ------------------------------------------------------------------------------------- */

static void flat_curves_are_one_level(void **state)
{
    struct curve c = {0};
    struct level l[ROOM];

    (void)state;
    assert_int_equal(levels_of(&c, l), 0);
    add(&c, 4, 1);
    assert_int_equal(levels_of(&c, l), 0); /* one point spans nothing */
    add(&c, 4, 39);
    assert_int_equal(levels_of(&c, l), 1);
    assert_int_equal(l[0].first, 0);
    assert_int_equal(l[0].last, 39);
    assert_true(l[0].height == 4);
}

static void stairs_with_steps(void **state)
{
    struct curve c = {0};
    struct level l[ROOM];

    (void)state;
    add(&c, 4, 20);
    add(&c, 14, 30);
    add(&c, 50, 16);
    assert_int_equal(levels_of(&c, l), 3);
    assert_true(l[0].last == 19 && l[1].first == 20 && l[1].last == 49 && l[2].first == 50);
    assert_true(l[0].height == 4 && l[1].height == 14 && l[2].height == 50);
    assert_int_equal(knee_levels(c.x, c.y, c.count, TOLERANCE, SPAN, l, 2), 2);
    assert_int_equal(knee_levels(c.x, c.y, c.count, TOLERANCE, SPAN, l, 0), 0);
}

/* What rises by more than the tolerance all the time, within the span of a level, has no level. */
static void steep_slopes_have_none(void **state)
{
    (void)state;
    for (double rise = 0.08; rise < 2; rise *= 1.2) {
        struct curve c = {0};
        struct level l[ROOM];

        for (double y = 4; c.count < 40; y *= 1 + rise)
            add(&c, y, 1);
        assert_int_equal(levels_of(&c, l), 0);
    }
}

static void neighbours_of_nearly_one_height_are_one_level(void **state)
{
    struct curve c = {0};
    struct level l[ROOM];

    (void)state;
    add(&c, 100, 12);
    add(&c, 123, 12);
    assert_int_equal(levels_of(&c, l), 1);
    assert_true(l[0].first == 0 && l[0].last == 23);
    c.count = 12;
    add(&c, 125, 12);
    assert_int_equal(levels_of(&c, l), 2);
}

/* A dip is no level: a next level is above the one before. */
static void a_dip_belongs_to_no_level(void **state)
{
    struct curve c = {0};
    struct level l[ROOM];

    (void)state;
    add(&c, 14, 12);
    add(&c, 4, 12);
    add(&c, 50, 12);
    assert_int_equal(levels_of(&c, l), 2);
    assert_true(l[0].height == 14 && l[0].last == 11 && l[1].height == 50);
}

static void missing_points_break_no_level(void **state)
{
    struct curve c = {0};
    struct level l[ROOM];

    (void)state;
    add(&c, NAN, 2);
    add(&c, 4, 6);
    add(&c, NAN, 2);
    add(&c, 4, 6);
    add(&c, 14, 12);
    assert_int_equal(levels_of(&c, l), 2);
    assert_true(l[0].first == 2 && l[0].last == 15 && l[0].height == 4 && l[1].height == 14);
    c.y[15] = NAN; /* the last point of a level is one that was measured */
    assert_int_equal(levels_of(&c, l), 2);
    assert_true(l[0].last == 14 && l[1].first == 16);
    c.count = 0;
    add(&c, NAN, 30);
    assert_int_equal(levels_of(&c, l), 0);
}

/*
 * One to five stairs of random height and length, with noise of a sixth of the tolerance and one high
 * reading in each: not near its ends, where it cannot be told from an edge.
 */
static void random_stairs_are_given_back(void **state)
{
    uint64_t random = 5;

    (void)state;
    for (unsigned n = 0; n < 2000; n++) {
        size_t stairs = 1 + random_below(&random, 5), ends[5];
        double heights[5], y = 2 + 4 * fabs(noise(&random));
        struct curve c = {0};
        struct level l[ROOM];

        for (size_t i = 0; i < stairs; i++) {
            size_t first = c.count;

            add(&c, y, 10 + random_below(&random, 30));
            for (size_t at = first; at < c.count; at++)
                c.y[at] *= 1 + TOLERANCE / 6 * noise(&random);
            c.y[first + 3 + random_below(&random, c.count - first - 5)] *= 1 + 5 * fabs(noise(&random));
            ends[i] = c.count - 1;
            heights[i] = y;
            y *= 1.5 + 3 * fabs(noise(&random));
        }
        assert_int_equal(levels_of(&c, l), stairs);
        for (size_t i = 0; i < stairs; i++) {
            assert_int_equal(l[i].first, i > 0 ? ends[i - 1] + 1 : 0);
            assert_int_equal(l[i].last, ends[i]);
            assert_true(fabs(l[i].height / heights[i] - 1) <= TOLERANCE / 6);
        }
    }
}

/* Noise of half the tolerance, and one reading in twenty far too high. */
static void flat_noise_is_one_level(void **state)
{
    uint64_t random = 29;

    (void)state;
    for (unsigned n = 0; n < 2000; n++) {
        struct curve c = {0};
        struct level l[ROOM];

        add(&c, 4, 20 + random_below(&random, 60));
        for (size_t i = 0; i < c.count; i++)
            c.y[i] *= 1 + TOLERANCE / 2 * noise(&random);
        for (size_t i = 2 + random_below(&random, 10); i + 2 < c.count; i += 10 + random_below(&random, 20))
            c.y[i] *= 2 + noise(&random);
        assert_int_equal(levels_of(&c, l), 1);
        assert_true(l[0].first <= 2 && l[0].last >= c.count - 3);
        assert_true(fabs(l[0].height / 4 - 1) <= TOLERANCE / 2);
    }
}

/* Between the stairs lie ramps of up to an octave: they belong to neither, but for what is level enough. */
static void stairs_joined_by_ramps_are_given_back(void **state)
{
    uint64_t random = 31;

    (void)state;
    for (unsigned n = 0; n < 2000; n++) {
        size_t stairs = 2 + random_below(&random, 3), firsts[4], lasts[4];
        double heights[4], y = 3;
        struct curve c = {0};
        struct level l[ROOM];

        for (size_t i = 0; i < stairs; i++) {
            firsts[i] = c.count;
            heights[i] = y;
            add(&c, y, 12 + random_below(&random, 20));
            lasts[i] = c.count - 1;
            double next = y * (2 + 2 * fabs(noise(&random)));
            size_t ramp = i + 1 < stairs ? random_below(&random, PER_OCTAVE) : 0;
            for (size_t k = 1; k <= ramp; k++)
                add(&c, y + (next - y) * (double)k / (double)(ramp + 1), 1);
            y = next;
        }
        assert_int_equal(levels_of(&c, l), stairs);
        for (size_t i = 0; i < stairs; i++) {
            assert_true(fabs(l[i].height / heights[i] - 1) <= TOLERANCE / 2);
            assert_in_range(l[i].first + 4, firsts[i], firsts[i] + 4);
            assert_in_range(l[i].last, lasts[i], lasts[i] + 4);
        }
    }
}

/* ---- Crossings ---------------------------------------------------------------------------------- */

static void a_step_is_crossed_between_two_points(void **state)
{
    const double x[] = {8, 16, 24, 32, 40, 48}, y[] = {4, 4, 4, 4, 14, 14};
    struct crossing c = knee_crossing(x, y, 0, 5, 5);

    (void)state;
    assert_true(c.from == 32 && c.to == 32 && c.above == 40);
}

static void missing_points_are_on_no_side(void **state)
{
    const double x[] = {8, 16, 24, 32, 40, 48}, y[] = {NAN, 4, 4, NAN, 14, 14};
    struct crossing c = knee_crossing(x, y, 0, 5, 5);

    (void)state;
    assert_true(c.to == 24 && c.above == 40);
}

static void a_ramp_is_crossed_at_each_height_elsewhere(void **state)
{
    const double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {10, 10, 12, 15, 18, 20, 20};

    (void)state;
    assert_true(knee_crossing(x, y, 0, 6, 11).to == 1);
    assert_true(knee_crossing(x, y, 0, 6, 15).to == 3);
    assert_true(knee_crossing(x, y, 0, 6, 19).above == 5);
    assert_true(knee_crossing(x, y, 1, 3, 19).to == 3); /* it does not rise so far among these points */
}

static void one_high_reading_crosses_nothing(void **state)
{
    const double x[] = {0, 1, 2, 3, 4, 5, 6, 7}, y[] = {4, 4, 30, 4, 4, 4, 14, 14};
    struct crossing c = knee_crossing(x, y, 0, 7, 9);

    (void)state;
    assert_true(c.from == 5 && c.to == 5 && c.above == 6);
}

/* Where readings scatter about the height, the interval says so. */
static void a_disturbed_edge_is_as_wide_as_it_is(void **state)
{
    const double x[] = {0, 1, 2, 3, 4, 5, 6, 7}, y[] = {4, 4, 12, 13, 8, 12, 14, 14};
    struct crossing c = knee_crossing(x, y, 0, 7, 9);

    (void)state;
    assert_true(c.from == 1 && c.to == 4 && c.above == 5);
}

/* ---- Lines that are left ------------------------------------------------------------------------ */

static void straight_lines_are_never_left(void **state)
{
    uint64_t random = 17;

    (void)state;
    for (unsigned n = 0; n < 20; n++) {
        double start = 20 * fabs(noise(&random)), slope = 5 * noise(&random);
        struct curve c = {0};
        size_t last_good;

        for (size_t i = 0; i < 64; i++) {
            c.x[i] = (double)i + 1;
            c.y[i] = start + slope * c.x[i] + 0.05 * noise(&random);
        }
        for (size_t count = 0; count <= 64; count += count < 8 ? 1 : 8)
            assert_false(knee_line_left(c.x, c.y, count, 4, &last_good));
    }
}

/* Wherever they are, the end of the curve included, two high readings are none too many. */
static void two_high_readings_do_not_leave_the_line(void **state)
{
    size_t last_good;

    (void)state;
    for (size_t high = 4; high < 30; high++) {
        double x[30], y[30];

        for (size_t i = 0; i < 30; i++) {
            x[i] = (double)i + 1;
            y[i] = 3 * x[i] + (i == high || i == high + 1 ? 50 : 0);
        }
        assert_false(knee_line_left(x, y, 30, 4, &last_good));
        if (high < 27) {
            y[high] = 3 * x[high] + 4.1;
            y[high + 2] += 4.1; /* a third, if only just */
            assert_true(knee_line_left(x, y, 30, 4, &last_good));
            assert_int_equal(last_good, high - 1);
            y[high + 2] -= 0.2;
            assert_false(knee_line_left(x, y, 30, 4, &last_good));
        }
    }
}

/* Each level of calls past the depth costs one misprediction more. */
static void the_depth_of_a_return_stack_is_given_back(void **state)
{
    uint64_t random = 23;

    (void)state;
    for (unsigned n = 0; n < 40; n++) {
        size_t depth = 8 + random_below(&random, 48), last_good = 0;
        double slope = 1 + 4 * fabs(noise(&random)), penalty = 12 + 10 * fabs(noise(&random));
        struct curve c = {0};

        for (size_t i = 0; i < 64; i++) {
            c.x[i] = (double)i + 1;
            c.y[i] = slope * c.x[i] + (i >= depth ? penalty * (double)(i - depth + 1) : 0) + 0.2 * noise(&random);
        }
        assert_true(knee_line_left(c.x, c.y, 64, 4, &last_good));
        assert_int_equal(last_good, depth - 1);
    }
}

static void bends_are_given_back_wherever_they_are(void **state)
{
    const double slopes[] = {0, 0.3, 2, 7, -0.5};

    (void)state;
    for (size_t s = 0; s < sizeof slopes / sizeof slopes[0]; s++)
        for (size_t bend = 4; bend < 62; bend++) {
            struct curve c = {0};
            size_t last_good = 0;

            for (size_t i = 0; i < 64; i++) {
                c.x[i] = (double)i + 1;
                c.y[i] = 100 + slopes[s] * c.x[i] + (i >= bend ? 6 * (double)(i - bend + 1) : 0);
            }
            assert_true(knee_line_left(c.x, c.y, 64, 4, &last_good));
            assert_int_equal(last_good, bend - 1);
        }
}

static void missing_points_are_not_above_the_line(void **state)
{
    struct curve c = {0};
    size_t last_good = 0;

    (void)state;
    for (size_t i = 0; i < 30; i++) {
        c.x[i] = (double)i + 1;
        c.y[i] = i % 5 == 4 ? NAN : 3 * c.x[i];
    }
    assert_false(knee_line_left(c.x, c.y, 30, 4, &last_good));
    for (size_t i = 20; i < 30; i++)
        c.y[i] += 15 * (double)(i - 19);
    assert_true(knee_line_left(c.x, c.y, 30, 4, &last_good));
    assert_int_equal(last_good, 18); /* 19 was not measured */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_curves_are_one_level),
        cmocka_unit_test(stairs_with_steps),
        cmocka_unit_test(steep_slopes_have_none),
        cmocka_unit_test(neighbours_of_nearly_one_height_are_one_level),
        cmocka_unit_test(a_dip_belongs_to_no_level),
        cmocka_unit_test(missing_points_break_no_level),
        cmocka_unit_test(random_stairs_are_given_back),
        cmocka_unit_test(flat_noise_is_one_level),
        cmocka_unit_test(stairs_joined_by_ramps_are_given_back),
        cmocka_unit_test(a_step_is_crossed_between_two_points),
        cmocka_unit_test(missing_points_are_on_no_side),
        cmocka_unit_test(a_ramp_is_crossed_at_each_height_elsewhere),
        cmocka_unit_test(one_high_reading_crosses_nothing),
        cmocka_unit_test(a_disturbed_edge_is_as_wide_as_it_is),
        cmocka_unit_test(straight_lines_are_never_left),
        cmocka_unit_test(two_high_readings_do_not_leave_the_line),
        cmocka_unit_test(the_depth_of_a_return_stack_is_given_back),
        cmocka_unit_test(bends_are_given_back_wherever_they_are),
        cmocka_unit_test(missing_points_are_not_above_the_line),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
