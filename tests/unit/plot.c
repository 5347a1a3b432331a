/* A plot shows the curve: every point in its place, no holes, and nothing for values that are no numbers. */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/observer/plot.h"

enum { COLUMNS = 100, ROWS = 40 };

static void axes_contain_every_point(void **state)
{
    (void)state;
    const struct search_point narrow[] = {{.x = 10, .y = 3}, {.x = 20, .y = 4}, {.x = 30, .y = (double)NAN}};
    struct plot p = plot_axes(narrow, 3);

    assert_false(p.x.octaves || p.y.octaves || p.empty);
    assert_true(p.x.from == 10);
    assert_true(p.x.to == 20); /* a point without a number has no place */
    assert_true(p.y.from == 0);
    assert_true(p.y.to == 4);

    const struct search_point wide[] = {{.x = 4096, .y = 5}, {.x = 1 << 26, .y = 300}};
    p = plot_axes(wide, 2);
    assert_true(p.x.octaves && p.y.octaves);
    assert_true(plot_axes(narrow + 2, 1).empty);
    assert_true(plot_axes(NULL, 0).empty);
}

/* WIDE: a decade is shown as it is, sizes from 32 KiB to 1 MiB are not. */
static void wide_ranges_are_in_octaves(void **state)
{
    (void)state;
    const struct search_point decade[] = {{.x = 10, .y = 1}, {.x = 100, .y = 1}};
    const struct search_point sizes[] = {{.x = 1 << 15, .y = 1}, {.x = 1 << 20, .y = 1}};

    assert_false(plot_axes(decade, 2).x.octaves);
    assert_true(plot_axes(sizes, 2).x.octaves);
}

static void octaves_are_equally_long(void **state)
{
    (void)state;
    const struct plot_axis a = {.from = 1, .to = 1024, .octaves = true};

    for (unsigned i = 0; i <= 10; i++)
        assert_int_equal(plot_place(&a, 1 << i, 1001), 100 * i);
    for (double x = 1, last = 0; x < 1100; x *= 1.07) {
        assert_true(plot_place(&a, x, 1001) >= last);
        last = plot_place(&a, x, 1001);
    }
    assert_int_equal(plot_place(&a, 0, 1001), 0);
    assert_int_equal(plot_place(&a, 1e9, 1001), 1000);
    assert_int_equal(plot_place(&(struct plot_axis){.from = 7, .to = 7}, 7, 101), 50); /* one value: the middle */
}

/* Each column has a part of the line, which touches that of the next column. */
static void assert_no_holes(const struct plot_span *s)
{
    for (unsigned i = 0; i < COLUMNS; i++) {
        assert_true(s[i].from <= s[i].to);
        assert_true(s[i].to < ROWS);
        if (i > 0)
            assert_true(s[i].from <= s[i - 1].to + 1 && s[i - 1].from <= s[i].to + 1);
    }
}

static void a_step_is_a_line_without_holes(void **state)
{
    (void)state;
    const struct search_point points[] = {
        {.x = 101, .y = 4}, {.x = 150, .y = 4}, {.x = 151, .y = 15}, {.x = 200, .y = 15}};
    struct plot_span s[COLUMNS];
    struct plot p = plot_axes(points, 4);

    plot_columns(&p, points, 4, COLUMNS, ROWS, s);
    assert_no_holes(s);
    assert_int_equal(s[0].from, plot_place(&p.y, 4, ROWS));
    assert_int_equal(s[0].to, s[0].from);
    assert_int_equal(s[COLUMNS - 1].to, ROWS - 1);
    assert_true(s[49].to - s[49].from + s[50].to - s[50].from >= s[99].to - s[0].from - 1); /* the step itself */
}

static void curves_at_random_have_no_holes(void **state)
{
    (void)state;
    struct search_point points[300];
    struct plot_span s[COLUMNS];

    srand(1);
    for (unsigned round = 0; round < 200; round++) {
        const size_t count = 2 + (unsigned)rand() % 298;
        double x = 1;
        for (size_t i = 0; i < count; i++) {
            x += 1 + rand() % 1000;
            points[i] = (struct search_point){.x = x, .y = i % 7 == 3 ? (double)NAN : rand() % 1000};
        }
        points[0].y = points[count - 1].y = 500;
        const struct plot p = plot_axes(points, count);
        plot_columns(&p, points, count, COLUMNS, ROWS, s);
        assert_no_holes(s);
        for (size_t i = 0; i < count; i++) {
            const struct plot_span *at = &s[plot_place(&p.x, points[i].x, COLUMNS)];
            const unsigned row = plot_place(&p.y, points[i].y, ROWS);
            assert_true(isnan(points[i].y) || (at->from <= row && row <= at->to));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_contain_every_point),       cmocka_unit_test(wide_ranges_are_in_octaves),
        cmocka_unit_test(octaves_are_equally_long),       cmocka_unit_test(a_step_is_a_line_without_holes),
        cmocka_unit_test(curves_at_random_have_no_holes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
