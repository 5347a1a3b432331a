/* Fetch width: crossings that are split, staircases behind them, and runs of NOPs that are bound by their bytes. */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/fetch_width.h"

enum { POINTS = 48, FETCHED = 8 /* instructions in a cycle */ };

struct curve {
    struct search_point points[POINTS];
    struct search search;
};

/* Cycles of loops of 1, 2, 3 … instructions: one more for each fetch, and `more` for the crossing. */
static void make_crossing(struct curve *c, double more)
{
    for (size_t i = 0; i < POINTS; i++)
        c->points[i] = (struct search_point){.x = (double)(i + 1), .y = 10 + (double)(i / FETCHED) + more};
    c->search = (struct search){.points = c->points, .count = POINTS, .step = 1};
}

/* STILL_SPLIT: a split crossing costs a whole cycle, a third of one is noise. */
static void a_split_costs_a_cycle(void **state)
{
    struct curve control, crossing;
    bool split;

    (void)state;
    make_crossing(&control, 0);
    make_crossing(&crossing, 1);
    assert_true(fetch_width_decide(&crossing.search, &control.search, &split));
    assert_true(split);
    make_crossing(&crossing, 1.0 / 3);
    assert_true(fetch_width_decide(&crossing.search, &control.search, &split));
    assert_false(split);
}

/* CALIBRATION: time is off by 0.6 % in half of each tread, however exactly it repeats. */
static void treads_need_not_be_level(void **state)
{
    struct curve control, crossing;
    bool split;

    (void)state;
    make_crossing(&control, 0);
    make_crossing(&crossing, 1);
    for (size_t i = 0; i < POINTS; i++)
        crossing.points[i].y *= i % FETCHED < FETCHED / 2 ? 1 : 1.006;
    assert_true(fetch_width_decide(&crossing.search, &control.search, &split));
    assert_int_equal(crossing.search.verdict.count, 1);
    assert_true(crossing.search.verdict.knees[0].value == FETCHED);
}

/* Cycles per NOP over NOPs to a line: the core takes so many NOPs, and so many bytes, in a cycle. */
static void make_runs(struct curve *c, double nops, double bytes)
{
    size_t count = 0;

    for (unsigned m = FETCH_DENSITY_FROM; m <= FETCH_DENSITY_TO; m++)
        c->points[count++] = (struct search_point){.x = m, .y = fmax(1 / nops, 64 / bytes / m)};
    c->search = (struct search){.points = c->points, .count = count};
}

/* NO_LONGER */
static void bytes_limit_what_takes_no_longer_with_one_nop_more(void **state)
{
    struct curve kept, fetched;
    double bytes = 0;

    (void)state;
    make_runs(&kept, 6, 64);
    make_runs(&fetched, 6, 16);
    assert_true(fetch_width_bytes(&kept.search, &fetched.search, 6, &bytes));
    assert_true(fabs(bytes - 16) <= 1e-9);
    make_runs(&fetched, 4, 64); /* decoding limits it: a line takes a fifteenth longer with the sixteenth NOP */
    assert_false(fetch_width_bytes(&kept.search, &fetched.search, 6, &bytes));
    make_runs(&fetched, 6, 64); /* it takes no longer than what is kept */
    assert_false(fetch_width_bytes(&kept.search, &fetched.search, 6, &bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_split_costs_a_cycle),
        cmocka_unit_test(treads_need_not_be_level),
        cmocka_unit_test(bytes_limit_what_takes_no_longer_with_one_nop_more),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
