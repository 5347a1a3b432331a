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

/* Edges at 28 KiB and second_kib: on the level between them, which the reader makes, `missed` lines miss. */
static struct verdict two_edges(double missed, double second_kib)
{
    struct search s = {.count = 0};
    const double between = 4 + 10 * missed * LINE_BYTES / (second_kib * 1024);

    s.verdict.count = 2;
    s.verdict.level_count = 3;
    s.verdict.knees[0] = (struct knee){
        .value = 28 << 10, .low = 28 << 10, .high = 29 << 10, .end = 29 << 10, .before = 4, .after = between};
    s.verdict.knees[1] = (struct knee){.value = second_kib * 1024,
                                       .low = second_kib * 1024,
                                       .high = (second_kib + 3) * 1024,
                                       .end = (second_kib + 5) * 1024,
                                       .before = between,
                                       .after = 14};
    s.verdict.levels[0].height = 4;
    s.verdict.levels[1].height = between;
    s.verdict.levels[2].height = 14;
    return beside_reader(&s, LINE_BYTES);
}

static void a_level_that_the_reader_makes_is_part_of_the_rise(void **state)
{
    (void)state;
    const struct verdict v = two_edges(100, 30);
    assert_true(v.count == 1 && v.level_count == 2);
    assert_true(v.knees[0].low == 28 << 10 && v.knees[0].value == 30 << 10 && v.knees[0].high == 35 << 10);
    assert_true(v.knees[0].before == 4 && v.levels[1].height == 14);
}

/* Of two ways the reader's misses begin at half of the capacity; 56 KiB is twice what lies between 28 and 29. */
static void a_level_that_begins_at_half_is_part_of_the_rise(void **state)
{
    (void)state;
    assert_true(two_edges(100, 56).count == 1);
}

static void a_level_of_more_misses_or_with_a_far_edge_remains(void **state)
{
    (void)state;
    assert_true(two_edges(160, 30).count == 2);
    assert_true(two_edges(100, 64).count == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_reaches_to_more_misses_than_the_reader_can_cause),
        cmocka_unit_test(an_edge_that_misses_more_at_once_is_left_as_it_is),
        cmocka_unit_test(an_interval_ends_where_the_rise_does),
        cmocka_unit_test(a_level_that_the_reader_makes_is_part_of_the_rise),
        cmocka_unit_test(a_level_that_begins_at_half_is_part_of_the_rise),
        cmocka_unit_test(a_level_of_more_misses_or_with_a_far_edge_remains),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
