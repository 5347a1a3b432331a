/* The engine finds the knees that were put into a curve, and none where there are none. */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/knee/knee.h"

/* Uniform from -1 to 1. */
static double noise(uint64_t *random)
{
    return (double)(random_next(random) >> 11) / 4503599627370496.0 - 1;
}

enum { ROWS = 400 };

/* Points at x = 1, 2, 3 …, each measured once. */
struct rows {
    struct knee_point p[ROWS];
    size_t count;
};

static void row(struct rows *r, double y)
{
    r->p[r->count] = (struct knee_point){(double)(r->count + 1), y, (double)NAN};
    r->count++;
}

static void rows_of(struct rows *r, double y, size_t times)
{
    for (; times > 0; times--)
        row(r, y);
}

static struct verdict decided(enum knee_kind kind, const struct rows *r)
{
    struct verdict v;
    assert_true(knee_decide(kind, r->p, r->count, 1, &v));
    assert_true((v.reason == REASON_NONE) == (v.count > 0));
    return v;
}

static void disturb(struct rows *r, double reach, uint64_t seed)
{
    for (size_t i = 0; i < r->count; i++)
        r->p[i].y += reach * noise(&seed);
}

static void assert_near(double value, double expected, double margin)
{
    assert_true(fabs(value - expected) <= margin);
}

static void a_step_is_between_its_two_points(void **state)
{
    struct rows r = {0};

    (void)state;
    rows_of(&r, 4, 20);
    rows_of(&r, 9, 15);
    struct verdict v = decided(KNEE_STEP, &r);
    assert_int_equal(v.count, 1);
    const struct knee *k = &v.knees[0];
    assert_true(k->value == 20 && k->low == 20 && k->high == 21 && k->end == 21);
    assert_near(k->before, 4, 1e-9);
    assert_near(k->after, 9, 1e-9);
    assert_true(k->half_rise_low == 20 && k->half_rise_high == 21);
    assert_true(k->agreed && k->half_rise_agreed && !k->ramp && !k->fuzzy && v.monotone);
    assert_true(v.sigma <= 0);
    assert_int_equal(v.level_count, 2);
    assert_true(v.levels[0].from == 1 && v.levels[0].to == 20 && v.levels[1].from == 21 && v.levels[1].to == 35);
    assert_near(v.levels[0].height, 4, 1e-9);
    assert_near(v.levels[1].height, 9, 1e-9);
    assert_near(v.levels[0].slope, 0, 1e-9);
}

/* On a curve that repeats exactly every step is real, however small: here one part in a thousand. */
static void tiny_steps_of_exact_curves_are_real(void **state)
{
    struct rows r = {0};

    (void)state;
    rows_of(&r, 4, 6);
    rows_of(&r, 4.004, 6);
    rows_of(&r, 8, 6);
    struct verdict v = decided(KNEE_STEP, &r);
    assert_int_equal(v.count, 2);
    assert_true(v.knees[0].low == 6 && v.knees[0].high == 7);
    assert_true(v.knees[1].low == 12 && v.knees[1].high == 13);
}

/* With a clock of whole ticks most points repeat and some are one tick off: that is noise, not a step. */
static void ticks_are_noise(void **state)
{
    struct rows r = {0};
    uint64_t random = 3;

    (void)state;
    for (size_t i = 0; i < 200; i++)
        row(&r, random_below(&random, 4) == 0 ? 11 : 10);
    assert_int_equal(decided(KNEE_STEP, &r).count, 0);
}

/*
 * Four levels, of which the lower ones differ by 5 %, and noise that grows with the height. The smallest step is six
 * standard deviations high, estimated from neighbouring points that are sometimes noisier: one in ten may stay
 * undecided.
 */
static void levels_of_many_heights_are_given_back(void **state)
{
    const double heights[] = {4, 4.2, 20, 300}, edges[] = {60, 120, 240};
    size_t inside = 0, found = 0, whole = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct rows r = {0};
        uint64_t random = seed;
        for (size_t i = 1; i <= 360; i++) {
            double y = heights[(i > 60) + (i > 120) + (i > 240)];
            row(&r, y * (1 + 0.01 * (noise(&random) + noise(&random)))); /* deviation 0.0082 */
        }
        struct verdict v = decided(KNEE_STEP, &r);
        assert_in_range(v.count, 2, 3);
        whole += v.count == 3;
        for (size_t i = 0; v.count == 3 && i < 3; i++) {
            found++;
            inside += v.knees[i].low <= edges[i] && edges[i] < v.knees[i].high;
        }
    }
    assert_true(whole >= 90);
    assert_true(inside * 100 >= found * 98);
}

/*
 * Three passes at different times. The clock changes for good during the second pass, which is then the median of all
 * and has a step over x. Only where all three passes have the step is it a knee.
 */
static void a_step_of_one_pass_alone_is_no_knee(void **state)
{
    enum { POINTS = 60 };
    static double y[3 * POINTS];
    const struct knee_passes passes = {3, y};

    (void)state;
    for (int real = 0; real < 2; real++) {
        struct rows r = {0};
        struct verdict v;
        uint64_t random = 5;
        for (size_t i = 0; i < POINTS; i++) {
            double late = i < 30 ? 10 : 12, own[] = {real ? late + 0.1 : 12, late, real ? late : 10};
            for (size_t pass = 0; pass < 3; pass++)
                y[pass * POINTS + i] = own[pass] + 0.05 * noise(&random);
            row(&r, y[POINTS + i]);
        }
        assert_true(knee_decide(KNEE_STEP, r.p, POINTS, 0, &v));
        assert_int_equal(v.count, 1);
        assert_true(knee_decide_passes(KNEE_STEP, r.p, POINTS, 0, &passes, &v));
        assert_int_equal(v.count, real);
    }
}

static void noise_has_no_knees(void **state)
{
    size_t found = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct rows r = {0};
        rows_of(&r, 10, 20 + seed % 380);
        disturb(&r, 1, seed);
        struct verdict v = decided(KNEE_STEP, &r);
        found += v.count > 0;
        assert_true(v.count > 0 || v.reason == REASON_NO_KNEE || v.reason == REASON_NOT_LEFT ||
                    v.reason == REASON_NOISE);
        assert_near(v.sigma, 0.577, 0.45);
    }
    assert_true(found <= 2);
}

/* A curve counts as flat if a step to twice its height would have been noticed. */
static void the_reason_distinguishes_flat_curves_from_noise(void **state)
{
    struct rows r = {0};

    (void)state;
    rows_of(&r, 10, 100);
    assert_int_equal(decided(KNEE_STEP, &r).reason, REASON_NO_KNEE);
    disturb(&r, 1, 5);
    assert_int_equal(decided(KNEE_STEP, &r).reason, REASON_NO_KNEE);
    disturb(&r, 9, 6);
    assert_int_equal(decided(KNEE_STEP, &r).reason, REASON_NOISE);
}

static void a_slope_has_no_level_to_leave(void **state)
{
    struct rows r = {0};

    (void)state;
    for (size_t i = 0; i < 100; i++)
        row(&r, 10 + 0.5 * (double)i);
    disturb(&r, 0.2, 9);
    assert_int_equal(decided(KNEE_STEP, &r).reason, REASON_NO_KNEE);
    assert_int_equal(decided(KNEE_JUMP, &r).reason, REASON_NO_KNEE);
    assert_int_equal(decided(KNEE_SLOPE, &r).reason, REASON_NOT_LEFT);
}

static void too_few_points_are_reported(void **state)
{
    (void)state;
    for (size_t n = 0; n < 6; n++) {
        struct rows r = {0};
        rows_of(&r, 4, n / 2);
        rows_of(&r, 9, n - n / 2);
        for (enum knee_kind kind = KNEE_STEP; kind <= KNEE_STAIRCASE; kind++)
            assert_int_equal(decided(kind, &r).reason, REASON_TOO_FEW_POINTS);
    }
    struct rows r = {0};
    rows_of(&r, NAN, 100);
    for (enum knee_kind kind = KNEE_STEP; kind <= KNEE_STAIRCASE; kind++)
        assert_int_equal(decided(kind, &r).reason, REASON_TOO_FEW_POINTS);
}

/* Missing points widen the interval and shift nothing. */
static void missing_points_widen_the_interval(void **state)
{
    struct rows r = {0};

    (void)state;
    rows_of(&r, 4, 20);
    rows_of(&r, 9, 15);
    r.p[19].y = r.p[20].y = r.p[21].y = NAN; /* x = 20, 21, 22 */
    r.p[0].y = r.p[34].y = NAN;
    struct verdict v = decided(KNEE_STEP, &r);
    assert_int_equal(v.count, 1);
    assert_true(v.knees[0].low == 19 && v.knees[0].high == 23);
}

/* Half an octave is a level; less may be a disturbance. */
static void a_level_that_returns_has_been_left(void **state)
{
    (void)state;
    for (unsigned bump = 5; bump <= 10; bump += 5) {
        struct rows r = {0};
        rows_of(&r, 4, 20);
        rows_of(&r, 9, bump);
        rows_of(&r, 4, 20);
        rows_of(&r, 9, 20);
        struct verdict v = decided(KNEE_STEP, &r);
        bool left = bump == 10;
        assert_int_equal(v.count, left ? 2 : 1);
        if (left)
            assert_true(v.knees[0].low == 20 && v.knees[0].high == 21 && fabs(v.knees[0].after - 9) < 1e-6);
        assert_true(v.knees[left].low == 40 + bump && v.knees[left].high == 41 + bump);
        assert_false(v.monotone);
        r.count = 40 + bump; /* without the last rise */
        assert_int_equal(decided(KNEE_STEP, &r).count, left);
    }
}

static void single_high_points_are_no_levels(void **state)
{
    struct rows r = {0};

    (void)state;
    rows_of(&r, 4, 60);
    rows_of(&r, 6, 60);
    disturb(&r, 0.5, 31);
    for (size_t i = 0; i < r.count; i += 13)
        r.p[i].y *= 4;
    r.p[119].y *= 4; /* the last one, too: nothing shows that it would stay high */
    struct verdict v = decided(KNEE_STEP, &r);
    assert_int_equal(v.count, 1);
    assert_true(v.knees[0].low <= 60 && v.knees[0].high > 60);
    assert_true(v.monotone);
}

/* From 10 at x = 100 to 20 at x = 140, straight. */
static void ramps_are_located_where_they_begin(void **state)
{
    size_t inside = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct rows r = {0};
        rows_of(&r, 10, 100);
        for (size_t i = 1; i < 40; i++)
            row(&r, 10 + 10 * (double)i / 40);
        rows_of(&r, 20, 60);
        disturb(&r, 0.8, seed);
        struct verdict v = decided(KNEE_STEP, &r);
        assert_int_equal(v.count, 1);
        const struct knee *k = &v.knees[0];
        inside += k->low <= 100 && k->high > 100;
        assert_true(k->ramp);
        assert_near(k->value, 100, 8);
        assert_near(k->end, 140, 8);
        assert_near(k->half_rise, 120, 4);
        assert_true(k->half_rise_low <= 120 && k->half_rise_high > 120);
        assert_true(k->high - k->low <= 16);
        assert_near(k->before, 10, 0.4);
        assert_near(k->after, 20, 0.4);
    }
    assert_true(inside >= 95);
}

/*
 * Points of a level may differ by 5 % but scatter by much less: points that differ by as much may belong to the ramp.
 */
static void a_ramp_begins_where_points_leave_the_scatter_of_the_level(void **state)
{
    struct rows r = {0};

    (void)state;
    rows_of(&r, 10, 40);
    for (size_t i = 1; i <= 10; i++)
        row(&r, 10 + 0.1 * (double)i);
    for (size_t i = 1; i <= 40; i++)
        row(&r, 11 + 0.7 * (double)i);
    rows_of(&r, 39, 40);
    disturb(&r, 0.02, 1);
    for (size_t i = 0; i < r.count; i++)
        r.p[i].error = 0.05 * r.p[i].y;
    struct verdict v = decided(KNEE_STEP, &r);
    assert_int_equal(v.count, 1);
    assert_true(v.knees[0].ramp && v.knees[0].low > 42);
    assert_near(v.knees[0].foot, 40, 1);
    for (size_t i = 0; i < r.count; i++)
        if (r.p[i].x <= 50)
            r.p[i].y = 10 + 0.2 * noise(&(uint64_t){i});
    v = decided(KNEE_STEP, &r);
    assert_int_equal(v.count, 1);
    assert_true(v.knees[0].foot >= v.knees[0].low - 1);
}

/* Good and bad points mix between 56 and 65. */
static void mixed_points_are_all_in_the_interval(void **state)
{
    struct rows r = {0};

    (void)state;
    rows_of(&r, 10, 55);
    for (size_t i = 0; i < 5; i++) {
        row(&r, 20);
        row(&r, 10);
    }
    rows_of(&r, 20, 55);
    disturb(&r, 0.2, 1);
    for (size_t i = 0; i < r.count; i++)
        r.p[i].error = 0.12; /* measured repeatedly, so their values are certain */
    struct verdict v = decided(KNEE_STEP, &r);
    assert_int_equal(v.count, 1);
    assert_true(v.knees[0].fuzzy);
    assert_true(v.knees[0].low <= 55 && v.knees[0].high >= 66);
}

static void the_levels_of_a_jump_may_slope(void **state)
{
    size_t inside = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct rows r = {0};
        size_t edge = 40 + seed;
        for (size_t x = 1; x <= 200; x++)
            row(&r, x <= edge ? 100 + 0.02 * (double)x : 130 + 0.05 * (double)x);
        disturb(&r, 2, seed);
        struct verdict v = decided(KNEE_JUMP, &r);
        assert_int_equal(v.count, 1);
        inside += v.knees[0].low <= (double)edge && (double)edge < v.knees[0].high;
        assert_true(v.knees[0].high - v.knees[0].low <= 3);
        assert_int_equal(v.level_count, 2);
    }
    assert_true(inside >= 95);
}

/* Nothing shows which of two rises of the same size is that of the jump. */
static void two_jumps_are_ambiguous(void **state)
{
    struct rows r = {0};

    (void)state;
    rows_of(&r, 10, 40);
    rows_of(&r, 20, 40);
    rows_of(&r, 30, 40);
    disturb(&r, 0.5, 2);
    assert_int_equal(decided(KNEE_JUMP, &r).reason, REASON_AMBIGUOUS);
}

/* But a rise in two steps, a few points apart, is one rise; here the level behind it has a slope change. */
static void a_jump_may_end_in_steps(void **state)
{
    struct rows r = {0};

    (void)state;
    for (size_t x = 1; x <= 200; x++)
        row(&r, x <= 80 ? 200 + 0.1 * (double)x : x <= 82 ? 280 : 370 + 0.1 * (double)x + fmax(0, (double)x - 130));
    disturb(&r, 0.5, 2);
    struct verdict v = decided(KNEE_JUMP, &r);
    assert_int_equal(v.count, 1);
    assert_true(v.knees[0].low <= 80 && 80 < v.knees[0].high && v.knees[0].high <= 83);
}

/* Each level of calls past the depth costs one misprediction more. */
static void a_line_that_becomes_steeper_is_left(void **state)
{
    size_t inside = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct rows r = {0};
        size_t depth = 8 + seed % 48;
        for (size_t x = 1; x <= 64; x++)
            row(&r, 5 + 2 * (double)x + (x > depth ? 16 * (double)(x - depth) : 0));
        disturb(&r, (double)(seed % 4), seed);
        struct verdict v = decided(KNEE_SLOPE, &r);
        assert_int_equal(v.count, 1);
        inside += v.knees[0].low <= (double)depth && (double)depth < v.knees[0].high;
        assert_true(v.knees[0].high - v.knees[0].low <= (seed % 4 ? 3 : 1));
    }
    assert_int_equal(inside, 100); /* its neighbours are excluded by five deviations */
}

/* A curve that rises from its first point on leaves no level, and a slope is no staircase. */
static void a_curve_that_rises_at_once_has_no_level_before(void **state)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct rows r = {0};
        (void)state;
        for (size_t x = 1; x <= 30; x++)
            row(&r, 10 + 2 * (double)x);
        rows_of(&r, 72, 30);
        disturb(&r, (double)(seed % 4), seed);
        assert_int_equal(decided(KNEE_STEP, &r).reason, REASON_NO_KNEE);
        r.count = 30;
        assert_int_equal(decided(KNEE_STAIRCASE, &r).reason, REASON_AMBIGUOUS);
    }
}

/*
 * Curves that grow with the logarithm, the root or the square of x, or fall with 1 / x, can be cut into lines, but have
 * no knee. Nor has a curve that falls once, or one with a single high point.
 */
static void smooth_curves_have_no_knee(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++)
        for (unsigned shape = 0; shape < 6; shape++) {
            struct rows r = {0};
            for (size_t i = 1; i <= 200; i++) {
                double x = (double)i;
                const double y[] = {40 * log(x),   14 * sqrt(x),          x * x / 200,
                                    200 - 200 / x, x < 90 ? 100.0 : 60.0, x < 90 || x > 90 ? 100 : 160};
                row(&r, 100 + y[shape]);
            }
            disturb(&r, (double)(seed % 4), seed);
            assert_int_equal(decided(KNEE_STEP, &r).count, 0);
            assert_int_equal(decided(KNEE_JUMP, &r).count, 0);
            if (shape < 4)
                assert_int_equal(decided(KNEE_SLOPE, &r).count, 0);
        }
}

/* Points ten apart; the ramp begins at 104, between two of them, and ends at 254. */
static void a_ramp_may_begin_between_points(void **state)
{
    struct knee_point p[40];
    struct verdict v;

    (void)state;
    for (size_t i = 0; i < 40; i++) {
        double x = 10 * (double)(i + 1);
        p[i] = (struct knee_point){x, 10 + fmax(0, fmin(30, (x - 104) / 5)), 0};
    }
    assert_true(knee_decide(KNEE_STEP, p, 40, 1, &v));
    assert_int_equal(v.count, 1);
    assert_true(v.knees[0].low == 100 && v.knees[0].high == 110 && v.knees[0].ramp);
    assert_near(v.knees[0].value, 104, 1);
    assert_near(v.knees[0].half_rise, 179, 10);
}

static void staircases_have_their_step_width(void **state)
{
    (void)state;
    for (size_t width = 2; width <= 16; width++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            struct rows r = {0};
            for (size_t x = 0; x < 6 * width; x++) {
                size_t stair = (x + seed) / width;
                row(&r, 7 + 3 * (double)stair);
            }
            disturb(&r, seed % 2 ? 0.4 : 0, seed);
            struct verdict v = decided(KNEE_STAIRCASE, &r);
            if (v.count == 0)
                continue;
            assert_true(v.knees[0].value == (double)width);
            assert_true(v.knees[0].low == (double)width && v.knees[0].high == (double)width + 1);
        }
}

/* Risers that are 4 and 5 apart in turn: a width of 4.5, which is no whole number. */
static void a_staircase_of_two_alternating_steps_has_their_mean(void **state)
{
    struct rows r = {0};

    (void)state;
    for (size_t stair = 0; stair < 10; stair++)
        rows_of(&r, 3 * (double)stair, stair % 2 ? 4 : 5);
    struct verdict v = decided(KNEE_STAIRCASE, &r);
    assert_int_equal(v.count, 1);
    assert_true(v.knees[0].low == 4 && v.knees[0].high == 5);
}

static void two_risers_are_no_staircase(void **state)
{
    struct rows r = {0};

    (void)state;
    for (size_t stair = 0; stair < 3; stair++)
        rows_of(&r, 3 * (double)stair, 6);
    assert_int_equal(decided(KNEE_STAIRCASE, &r).reason, REASON_AMBIGUOUS);
    rows_of(&r, 9, 6);
    assert_int_equal(decided(KNEE_STAIRCASE, &r).count, 1);
    struct rows flat = {0};
    rows_of(&flat, 3, 40);
    assert_int_equal(decided(KNEE_STAIRCASE, &flat).reason, REASON_NO_KNEE);
}

/* Ten thousand points take well under a second, because a search decides often; here with the sanitizer. */
static void many_points_take_no_long_time(void **state)
{
    enum { MANY = 10000 };
    struct knee_point *p = calloc(MANY, sizeof *p);
    uint64_t random = 1;
    struct verdict v;

    (void)state;
    assert_non_null(p);
    for (size_t i = 0; i < MANY; i++)
        p[i] = (struct knee_point){(double)i + 1, (i < 3000 ? 4 : i < 7000 ? 14 : 40) + noise(&random), (double)NAN};
    clock_t before = clock();
    assert_true(knee_decide(KNEE_STEP, p, MANY, 1, &v));
    assert_true(clock() - before < 3 * CLOCKS_PER_SEC);
    assert_int_equal(v.count, 2);
    assert_true(v.knees[0].low == 3000 && v.knees[1].low == 7000);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_between_its_two_points),
        cmocka_unit_test(tiny_steps_of_exact_curves_are_real),
        cmocka_unit_test(ticks_are_noise),
        cmocka_unit_test(levels_of_many_heights_are_given_back),
        cmocka_unit_test(a_step_of_one_pass_alone_is_no_knee),
        cmocka_unit_test(noise_has_no_knees),
        cmocka_unit_test(the_reason_distinguishes_flat_curves_from_noise),
        cmocka_unit_test(a_slope_has_no_level_to_leave),
        cmocka_unit_test(too_few_points_are_reported),
        cmocka_unit_test(missing_points_widen_the_interval),
        cmocka_unit_test(a_level_that_returns_has_been_left),
        cmocka_unit_test(single_high_points_are_no_levels),
        cmocka_unit_test(ramps_are_located_where_they_begin),
        cmocka_unit_test(a_ramp_begins_where_points_leave_the_scatter_of_the_level),
        cmocka_unit_test(mixed_points_are_all_in_the_interval),
        cmocka_unit_test(the_levels_of_a_jump_may_slope),
        cmocka_unit_test(two_jumps_are_ambiguous),
        cmocka_unit_test(a_jump_may_end_in_steps),
        cmocka_unit_test(a_line_that_becomes_steeper_is_left),
        cmocka_unit_test(a_curve_that_rises_at_once_has_no_level_before),
        cmocka_unit_test(smooth_curves_have_no_knee),
        cmocka_unit_test(a_ramp_may_begin_between_points),
        cmocka_unit_test(staircases_have_their_step_width),
        cmocka_unit_test(a_staircase_of_two_alternating_steps_has_their_mean),
        cmocka_unit_test(two_risers_are_no_staircase),
        cmocka_unit_test(many_points_take_no_long_time),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
