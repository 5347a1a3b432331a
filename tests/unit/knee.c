/* The knee rule gives back the steps that were put into a curve, and none where there are none. */
/* link: lib/knee.c lib/statistics.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/knee.h"
#include "lib/statistics.h"

enum { POINTS = 256, ROOM = 8 };

static const double THRESHOLD = 0.12;

struct curve {
    double y[POINTS];
    size_t count;
};

static void add(struct curve *c, double y, size_t times)
{
    while (times-- > 0)
        c->y[c->count++] = y;
}

static size_t knees(const struct curve *c, struct knee *out)
{
    return knee_rises(c->y, c->count, THRESHOLD, out, ROOM);
}

/* Uniform in 0 … 1. */
static double uniform(uint64_t *random)
{
    return (double)(random_next(random) >> 11) / 9007199254740992.0;
}

static void noise(struct curve *c, double part, uint64_t *random)
{
    for (size_t i = 0; i < c->count; i++)
        c->y[i] *= 1 + part * (2 * uniform(random) - 1);
}

static void flat_curves_have_none(void **state)
{
    struct curve c = {0};
    struct knee k[ROOM];

    (void)state;
    assert_int_equal(knees(&c, k), 0);
    for (size_t i = 1; i <= 40; i++) {
        add(&c, 4, 1);
        assert_int_equal(knees(&c, k), 0);
    }
}

static void one_step(void **state)
{
    struct curve c = {0};
    struct knee k[ROOM];

    (void)state;
    add(&c, 4, 10);
    add(&c, 14, 5);
    assert_int_equal(knees(&c, k), 1);
    assert_int_equal(k[0].last_good, 9);
    assert_int_equal(k[0].first_bad, 10);
    assert_true(k[0].low_level == 4 && k[0].high_level == 14);
}

static void three_steps_and_less_room(void **state)
{
    struct curve c = {0};
    struct knee k[ROOM];

    (void)state;
    add(&c, 4, 10);
    add(&c, 14, 5);
    add(&c, 50, 2);
    add(&c, 400, 3);
    assert_int_equal(knees(&c, k), 3);
    assert_int_equal(k[1].last_good, 14);
    assert_int_equal(k[2].last_good, 16);
    assert_true(k[1].low_level == 14 && k[1].high_level == 50 && k[2].high_level == 400);
    assert_int_equal(knee_rises(c.y, c.count, THRESHOLD, k, 2), 2);
    assert_int_equal(knee_rises(c.y, c.count, THRESHOLD, k, 0), 0);
}

static void a_rise_needs_the_threshold_and_two_points(void **state)
{
    struct curve below = {0}, above = {0}, alone = {0};
    struct knee k[ROOM];

    (void)state;
    add(&below, 100, 5);
    add(&below, 111.9, 5);
    assert_int_equal(knees(&below, k), 0);
    add(&above, 100, 5);
    add(&above, 112.1, 5);
    assert_int_equal(knees(&above, k), 1);
    add(&alone, 100, 5);
    add(&alone, 300, 1);
    assert_int_equal(knees(&alone, k), 0);
    add(&alone, 300, 1);
    assert_int_equal(knees(&alone, k), 1);
}

static void spikes_are_not_rises(void **state)
{
    struct curve c = {0};
    struct knee k[ROOM];

    (void)state;
    add(&c, 9, 2);
    add(&c, 4, 10);
    add(&c, 40, 4);
    add(&c, 4, 1);
    assert_int_equal(knees(&c, k), 0);
    add(&c, 14, 3);
    add(&c, 90, 1);
    add(&c, 14, 3);
    assert_int_equal(knees(&c, k), 1);
    assert_int_equal(k[0].last_good, 16);
    assert_true(k[0].low_level == 4 && k[0].high_level == 14);
}

/* Whatever its steepness, a slope has no level that could be left. */
static void slopes_have_none(void **state)
{
    struct knee k[ROOM];

    (void)state;
    for (double rise = 0.035; rise < 3; rise *= 1.07) {
        struct curve c = {0};

        for (double y = 4; c.count < 24; y *= 1 + rise)
            add(&c, y, 1);
        assert_int_equal(knees(&c, k), 0);
    }
    for (double step = 0.5; step < 100; step *= 1.3) {
        struct curve c = {0};

        for (double y = 4; c.count < 24; y += step)
            add(&c, y, 1);
        assert_int_equal(knees(&c, k), 0);
    }
}

/* The overflow of a return stack: each level more costs one misprediction more. */
static void level_before_a_slope(void **state)
{
    struct curve c = {0};
    struct knee k[ROOM];

    (void)state;
    add(&c, 10, 32);
    for (double y = 12; c.count < 64; y += 2)
        add(&c, y, 1);
    assert_int_equal(knees(&c, k), 1);
    assert_int_equal(k[0].last_good, 31);
    assert_int_equal(k[0].first_bad, 32);
    assert_true(k[0].low_level == 10 && k[0].high_level > 12);
}

/* Random replacement: the part that still hits gets smaller with the footprint, bit by bit. */
static void gradual_steps_between_levels(void **state)
{
    struct curve c = {0};
    struct knee k[ROOM];
    size_t capacity_at = 24; /* of 8 points an octave */

    (void)state;
    for (size_t i = 0; i < 80; i++) {
        double hit = i <= capacity_at ? 1 : exp2(((double)capacity_at - (double)i) / 8);

        add(&c, 4 * hit + 14 * (1 - hit), 1);
    }
    add(&c, 50, 16);
    assert_int_equal(knees(&c, k), 2);
    assert_int_equal(k[0].last_good, capacity_at);
    assert_int_equal(k[1].last_good, 79);
    assert_true(k[0].low_level == 4 && k[0].high_level > 13 && k[0].high_level <= 14);
}

static void falling_curves(void **state)
{
    struct curve c = {0};
    struct knee k[ROOM];

    (void)state;
    for (double x = 1; x <= 12; x++)
        add(&c, 4 + 40 / (x * x), 1);
    assert_int_equal(knees(&c, k), 0);
    add(&c, 4.2, 8);
    add(&c, 9, 4);
    assert_int_equal(knees(&c, k), 1);
    assert_int_equal(k[0].last_good, 19);
    assert_true(k[0].high_level == 9);
}

static void missing_points_are_passed_over(void **state)
{
    struct curve c = {0};
    struct knee k[ROOM];

    (void)state;
    add(&c, NAN, 3);
    assert_int_equal(knees(&c, k), 0);
    add(&c, 4, 5);
    add(&c, NAN, 2);
    add(&c, INFINITY, 1);
    add(&c, 14, 2);
    add(&c, NAN, 3);
    assert_int_equal(knees(&c, k), 1);
    assert_int_equal(k[0].last_good, 7);
    assert_int_equal(k[0].first_bad, 11);
    assert_true(k[0].low_level == 4 && k[0].high_level == 14);
}

/* Readings 5 % around a level differ by 10.5 % at the most. */
static void noise_is_not_a_knee(void **state)
{
    struct knee k[ROOM];
    uint64_t random = 3;

    (void)state;
    for (unsigned n = 0; n < 5000; n++) {
        struct curve c = {0};

        add(&c, 1 + 1000 * uniform(&random), 1 + random_below(&random, 200));
        noise(&c, 0.05, &random);
        assert_int_equal(knees(&c, k), 0);
    }
}

/*
 * One to five levels of random height and length, 1.4 % noise, and high outliers, though not on the
 * last points of a level: there, one cannot be told from the step.
 */
static void random_steps_are_given_back(void **state)
{
    uint64_t random = 5;

    (void)state;
    for (unsigned n = 0; n < 20000; n++) {
        size_t levels = 1 + random_below(&random, 5), ends[5];
        double heights[5], y = 1 + 20 * uniform(&random);
        struct curve c = {0};
        struct knee k[ROOM];

        for (size_t i = 0; i < levels; i++) {
            add(&c, y, 5 + random_below(&random, 40));
            ends[i] = c.count - 1;
            heights[i] = y;
            y *= 1.2 + 4 * uniform(&random);
        }
        noise(&c, 0.014, &random);
        for (size_t i = 0, start = 0; i < levels; start = ends[i++] + 1) {
            if (random_below(&random, 2) == 0)
                c.y[start + random_below(&random, ends[i] - start - 1)] *= 1 + 10 * uniform(&random);
        }

        assert_int_equal(knees(&c, k), levels - 1);
        for (size_t i = 0; i + 1 < levels; i++) {
            assert_int_equal(k[i].last_good, ends[i]);
            assert_int_equal(k[i].first_bad, ends[i] + 1);
            assert_true(fabs(k[i].low_level / heights[i] - 1) <= 0.0141);
            assert_true(fabs(k[i].high_level / heights[i + 1] - 1) <= 0.0141);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_curves_have_none),
        cmocka_unit_test(one_step),
        cmocka_unit_test(three_steps_and_less_room),
        cmocka_unit_test(a_rise_needs_the_threshold_and_two_points),
        cmocka_unit_test(spikes_are_not_rises),
        cmocka_unit_test(slopes_have_none),
        cmocka_unit_test(level_before_a_slope),
        cmocka_unit_test(gradual_steps_between_levels),
        cmocka_unit_test(falling_curves),
        cmocka_unit_test(missing_points_are_passed_over),
        cmocka_unit_test(noise_is_not_a_knee),
        cmocka_unit_test(random_steps_are_given_back),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
