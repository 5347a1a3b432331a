/* Intervals of caches that the program that measures occupies a part of (lib/structure/beside_reader.c). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/beside_reader.h"

enum { POINTS = 5, LINE_BYTES = 64, BYTES = 1 << 15 };

/* Footprints around the edge, a kibibyte apart, of which so many lines miss in a round. */
static struct knee edge_with(const double missed[POINTS])
{
    struct search_point points[POINTS];
    struct search s = {.points = points, .count = POINTS};

    for (size_t i = 0; i < POINTS; i++) {
        const double x = BYTES + 1024.0 * (double)i;
        points[i] = (struct search_point){.x = x, .y = 4 + 10 * missed[i] * LINE_BYTES / x};
    }
    s.verdict.count = 1;
    s.verdict.knees[0] = (struct knee){
        .value = points[0].x, .low = points[0].x, .high = points[1].x, .end = points[4].x, .before = 4, .after = 14};
    return beside_reader(&s, LINE_BYTES).knees[0];
}

/* Eight lines, each of which makes the sixteen lines of a set miss, are 128. */
static void an_interval_reaches_to_more_misses_than_the_reader_can_cause(void **state)
{
    (void)state;
    const struct knee k = edge_with((const double[]){0, 100, 250, 400, 576});
    assert_true(k.high == BYTES + 2048);
    assert_true(k.low == BYTES);
}

static void an_edge_that_misses_more_at_once_is_left_as_it_is(void **state)
{
    (void)state;
    assert_true(edge_with((const double[]){0, 150, 300, 450, 576}).high == BYTES + 1024);
}

static void an_interval_ends_where_the_rise_does(void **state)
{
    (void)state;
    assert_true(edge_with((const double[]){0, 40, 60, 80, 100}).high == BYTES + 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_reaches_to_more_misses_than_the_reader_can_cause),
        cmocka_unit_test(an_edge_that_misses_more_at_once_is_left_as_it_is),
        cmocka_unit_test(an_interval_ends_where_the_rise_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
