/* Rows become points: the order of rows does not matter, and memory stays bounded without bending the curve. */
/* link: boot/linux/gather.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boot/linux/gather.h"
#include "lib/base/random.h"

static struct gather gather;

static void add(double x, double y)
{
    assert_true(gather_add(&gather, x, y));
}

/* The points of what was added, for the caller to free. */
static struct knee_point *end(void)
{
    struct knee_point *points;

    assert_true(gather_end(&gather));
    assert_true(gather_points(&gather, &points));
    return points;
}

/* Bins ascend and do not touch, and hold as many samples as they say. */
static void assert_sound(uint64_t rows)
{
    uint64_t seen = 0;

    assert_in_range(gather.count, 0, GATHER_POINTS);
    for (size_t i = 0; i < gather.count; i++) {
        const struct gather_bin *b = &gather.bins[i];
        assert_true(b->from <= b->to);
        assert_true(i == 0 || gather.bins[i - 1].to < b->from);
        assert_int_equal(b->kept, b->seen < GATHER_SAMPLES ? b->seen : GATHER_SAMPLES);
        seen += b->seen;
    }
    assert_int_equal(seen, rows);
}

static void nothing_gives_nothing(void **state)
{
    (void)state;
    gather_start(&gather);
    free(end());
    assert_int_equal(gather.count, 0);
    gather_free(&gather);
}

static void rows_in_any_order(void **state)
{
    static const double rows[][2] = {{3, 30}, {1, 10}, {2, NAN}, {-4, 7}, {1, 14}, {3, 31}, {1, 11}, {-0.0, 1}, {0, 3}};
    (void)state;

    gather_start(&gather);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        add(rows[i][0], rows[i][1]);
    struct knee_point *p = end();
    assert_sound(8);
    assert_int_equal(gather.count, 5);
    const double x[] = {-4, 0, 1, 2, 3}, y[] = {7, 2, 11, NAN, 30.5}, error[] = {NAN, 1, NAN, NAN, 0.5};
    for (size_t i = 0; i < 5; i++) {
        assert_true(p[i].x == x[i]);
        assert_true(p[i].y == y[i] || (isnan(p[i].y) && isnan(y[i])));
        /* Of 10, 11, 14 the error is interpolated; the others are plain. */
        if (x[i] != 1)
            assert_true(p[i].error == error[i] || (isnan(p[i].error) && isnan(error[i])));
        else
            assert_true(p[i].error > 1 && p[i].error < 3);
    }
    free(p);
    gather_free(&gather);
}

/* The error of a median is what medians of other samples scatter by, for any distribution of noise. */
static void error_is_how_medians_scatter(void **state)
{
    enum { POINTS = 2000 };
    static double medians[POINTS];
    uint64_t random = 5;
    (void)state;

    for (unsigned shape = 0; shape < 2; shape++)
        for (unsigned samples = 3; samples <= 200; samples = 3 * samples + 1) {
            gather_start(&gather);
            for (unsigned x = 0; x < POINTS; x++)
                for (unsigned i = 0; i < samples; i++) {
                    double u = (double)(random_next(&random) >> 11) / 9007199254740992.0;
                    add(x, shape ? u * u * u : u);
                }
            struct knee_point *p = end();
            double error = 0, squares = 0, mean = 0;
            for (unsigned x = 0; x < POINTS; x++) {
                medians[x] = p[x].y;
                error += p[x].error / POINTS;
                mean += p[x].y / POINTS;
            }
            for (unsigned x = 0; x < POINTS; x++)
                squares += (medians[x] - mean) * (medians[x] - mean) / POINTS;
            double truth = sqrt(squares);
            if (!(error > 0.8 * truth && error < 1.3 * truth))
                fail_msg("%u samples, shape %u: error %g, truth %g", samples, shape, error, truth);
            free(p);
            gather_free(&gather);
        }
}

/* 600,000 rows at three x, more than wait and more than are kept: medians are those of all rows. */
static void many_rows_at_one_x(void **state)
{
    (void)state;
    gather_start(&gather);
    for (unsigned i = 0; i < 600000; i++)
        add(i % 3, (i / 3) % 1000); /* a ramp again and again: what comes early or late is like all */
    struct knee_point *p = end();
    assert_sound(600000);
    assert_int_equal(gather.count, 3);
    assert_true(gather.width == 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(gather.bins[i].seen, 200000);
        /* The median of 256 out of a uniform distribution scatters by 1/32 of its width. */
        assert_true(p[i].y > 375 && p[i].y < 625);
    }
    free(p);
    gather_free(&gather);
}

/* A step at a million among so many x is found again, whatever the order of rows. */
static void many_x_are_merged(void **state)
{
    enum { ROWS = 2000000 };
    (void)state;

    for (unsigned order = 0; order < 3; order++) {
        uint64_t random = 9;
        gather_start(&gather);
        for (uint64_t i = 0; i < ROWS; i++) {
            /* Ascending; each once in another order (7919 is prime and no divisor of ROWS); any. */
            uint64_t x = order == 0 ? i : order == 1 ? i * 7919 % ROWS : random_below(&random, ROWS);
            add((double)x, x <= ROWS / 2 ? 5 : 14);
        }
        struct knee_point *p = end();
        assert_sound(ROWS);
        assert_in_range(gather.count, GATHER_POINTS / 4, GATHER_POINTS);
        assert_true(gather.width > 0 && gather.width < 0.01);
        size_t mixed = 0;
        for (size_t i = 0; i < gather.count; i++) {
            const struct gather_bin *b = &gather.bins[i];
            assert_true(b->to - b->from <= gather.width * b->to);
            if (b->from <= ROWS / 2 && b->to > ROWS / 2)
                mixed++;
            else
                assert_true(p[i].y == (b->to <= ROWS / 2 ? 5 : 14));
        }
        assert_in_range(mixed, 0, 1);

        /* What a verdict says of points, widened to what is known of x. */
        size_t i = gather.count / 2;
        struct verdict v = {.count = 1, .level_count = 1};
        v.knees[0] = (struct knee){.value = p[i].x, .low = p[i].x, .high = p[i + 1].x, .end = p[i + 2].x + 0.25};
        v.levels[0] = (struct knee_level){.from = p[0].x, .to = p[i].x};
        gather_widen(&gather, &v);
        assert_true(v.knees[0].low == gather.bins[i].from && v.knees[0].value == gather.bins[i].to);
        assert_true(v.knees[0].high == gather.bins[i + 1].to && v.knees[0].end == p[i + 2].x + 0.25);
        assert_true(v.levels[0].to == gather.bins[i].to);
        free(p);
        gather_free(&gather);
    }
}

/* What merging draws from two full bins stands for both in proportion to their rows. */
static void merging_draws_in_proportion(void **state)
{
    (void)state;
    gather_start(&gather);
    /* Two x side by side with 3,000 and 1,000 rows, then so many others far away that the two are merged. */
    for (unsigned i = 0; i < 4000; i++)
        add(i % 4 == 3 ? 1e9 + 1 : 1e9, i % 4 == 3);
    for (unsigned i = 0; i < 40000; i++)
        add(1 + i / 40000.0, 0);
    struct knee_point *p = end();
    assert_sound(44000);
    const struct gather_bin *b = &gather.bins[gather.count - 1];
    assert_int_equal(b->seen, 4000);
    unsigned ones = 0;
    for (size_t i = 0; i < b->kept; i++)
        ones += b->samples[i] > 0.5;
    /* 64 expected, standard deviation 7. */
    assert_in_range(ones, 36, 92);
    free(p);
    gather_free(&gather);
}

static void extreme_x_end_in_bounds(void **state)
{
    uint64_t random = 3;
    (void)state;

    gather_start(&gather);
    add(-1.7e308, 1);
    add(1.7e308, 2);
    add(0, 3);
    for (unsigned i = 0; i < 100000; i++) {
        double x;
        uint64_t bits = random_next(&random);
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x))
            add(x, 1);
    }
    struct knee_point *p = end();
    assert_in_range(gather.count, 2, GATHER_POINTS);
    assert_true(gather.bins[0].from < -1e308 && gather.bins[gather.count - 1].to > 1e308);
    free(p);
    gather_free(&gather);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_gives_nothing),
        cmocka_unit_test(rows_in_any_order),
        cmocka_unit_test(error_is_how_medians_scatter),
        cmocka_unit_test(many_rows_at_one_x),
        cmocka_unit_test(many_x_are_merged),
        cmocka_unit_test(merging_draws_in_proportion),
        cmocka_unit_test(extreme_x_end_in_bounds),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
