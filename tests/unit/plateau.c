/* The second view of a curve finds plateaus and where they are left, from medians and signs only. */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/knee/plateau.h"

enum { POINTS = 300, ROOM = 8 };

struct curve {
    double x[POINTS], y[POINTS];
    size_t count;
};

static void add(struct curve *c, double y, size_t times)
{
    for (; times > 0; times--, c->count++) {
        c->x[c->count] = (double)(c->count + 1);
        c->y[c->count] = y;
    }
}

/* Uniform noise of deviation 1. */
static void disturb(struct curve *c, uint64_t seed)
{
    for (size_t i = 0; i < c->count; i++)
        c->y[i] += sqrt(12) * ((double)(random_next(&seed) >> 11) / 9007199254740992.0 - 0.5);
}

static size_t seen(const struct curve *c, struct departure *out)
{
    return plateau_departures(c->x, c->y, c->count, out, ROOM);
}

static void isotonic_regression_pools_falling_values(void **state)
{
    double rising[] = {1, 2, 2, 5}, falling[] = {3, 2, 1}, mixed[] = {1, 4, 2, 3, 9, 5};
    const double pooled[] = {1, 3, 3, 3, 7, 7};

    (void)state;
    assert_true(isotonic(rising, 4) && isotonic(falling, 3) && isotonic(mixed, 6) && isotonic(NULL, 0));
    assert_true(rising[0] == 1 && rising[1] == 2 && rising[2] == 2 && rising[3] == 5);
    for (size_t i = 0; i < 3; i++)
        assert_true(falling[i] == 2);
    for (size_t i = 0; i < 6; i++)
        assert_true(mixed[i] == pooled[i]);
}

static void a_step_is_left_at_its_point(void **state)
{
    struct curve c = {0};
    struct departure d[ROOM];

    (void)state;
    assert_int_equal(seen(&c, d), 0);
    add(&c, 4, 20);
    assert_int_equal(seen(&c, d), 0);
    add(&c, 9, 4);
    add(&c, 30, 40);
    assert_int_equal(seen(&c, d), 2);
    assert_true(d[0].low == 20 && d[0].high == 21 && d[0].half_rise >= 20 && d[0].half_rise <= 21);
    assert_true(d[1].low == 24 && d[1].high == 25);
}

/*
 * Of points most of which repeat exactly the noise is 0, also where the first ones are a little higher: the plateau ends
 * where the ramp begins.
 */
static void a_ramp_behind_a_plateau_that_falls_a_little_begins_at_its_end(void **state)
{
    struct curve c = {0};
    struct departure d[ROOM];

    (void)state;
    add(&c, 28.05, 2);
    add(&c, 28, 3);
    for (double y = 33; y < 44; y += 4)
        add(&c, y, 1);
    add(&c, 44, 10);
    assert_int_equal(seen(&c, d), 1);
    assert_true(d[0].low == 5 && d[0].high == 6 && d[0].begin >= 4.5 && d[0].begin <= 6);
}

static void steps_of_four_deviations_are_found(void **state)
{
    size_t right = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct curve c = {0};
        struct departure d[ROOM];
        add(&c, 50, 40 + seed);
        add(&c, 54, 60);
        disturb(&c, seed);
        right += seen(&c, d) == 1 && d[0].low >= 38 + (double)seed && d[0].high <= 43 + (double)seed;
    }
    assert_true(right >= 80);
}

static void brief_rises_are_not_found(void **state)
{
    struct curve c = {0};
    struct departure d[ROOM];

    (void)state;
    add(&c, 4, 30);
    add(&c, 9, 20);
    add(&c, 4, 60);
    assert_int_equal(seen(&c, d), 0);
    c.count = 0;
    add(&c, 4, 30);
    c.y[10] = c.y[11] = 40; /* and a disturbed pair */
    assert_int_equal(seen(&c, d), 0);
}

/* 10 at x = 100, 20 at x = 140: a quarter at 110, half at 120, which leads back to 100. */
static void a_ramp_is_followed_back_to_its_foot(void **state)
{
    struct curve c = {0};
    struct departure d[ROOM];

    (void)state;
    add(&c, 10, 100);
    for (size_t i = 1; i < 40; i++)
        add(&c, 10 + 10 * (double)i / 40, 1);
    add(&c, 20, 60);
    assert_true(seen(&c, d) >= 1); /* the end of the ramp may be taken for a plateau */
    assert_true(d[0].low >= 98 && d[0].high <= 103);
    assert_true(fabs(d[0].half_rise - 120) <= 2);
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct curve noisy = c;
        disturb(&noisy, seed);
        assert_true(seen(&noisy, d) >= 1);
        assert_true(d[0].low >= 85 && d[0].high <= 115);
    }
}

/* Random replacement: steepest where it begins. Straight back from a quarter and a half would be 97. */
static void a_rise_that_bends_over_is_followed_back_to_its_first_step(void **state)
{
    struct curve c = {0};
    struct departure d[ROOM];

    (void)state;
    add(&c, 10, 100);
    for (size_t i = 1; i < 60; i++)
        add(&c, 10 + 10 * (double)i / (double)(i + 12), 1);
    add(&c, 20, 60);
    assert_true(seen(&c, d) >= 1);
    assert_true(d[0].begin >= 99 && d[0].begin <= 101);
    assert_true(d[0].end > 101);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isotonic_regression_pools_falling_values),
        cmocka_unit_test(a_step_is_left_at_its_point),
        cmocka_unit_test(a_ramp_behind_a_plateau_that_falls_a_little_begins_at_its_end),
        cmocka_unit_test(steps_of_four_deviations_are_found),
        cmocka_unit_test(brief_rises_are_not_found),
        cmocka_unit_test(a_ramp_is_followed_back_to_its_foot),
        cmocka_unit_test(a_rise_that_bends_over_is_followed_back_to_its_first_step),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
