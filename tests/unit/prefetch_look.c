/*
 * Where a line is after a list of accesses, from the times of looks: each threshold of
 * lib/structure/tolerances_prefetch.h is held by looks whose times follow from a formula.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/structure/prefetch_look.h"

enum {
    FIRST_LINES = 512,
    FIRST_BYTES = FIRST_LINES * ACCESS_LINE_BYTES,
    SECOND_BYTES = 16 * FIRST_BYTES,
    HOME_BYTES = 16 * SECOND_BYTES
};

/* A hierarchy, as looks see it: ticks by the place of the line. */
static struct {
    double first, home;
    double left
        [3]; /* of a line that was in the first level, after half, all, and twice or more of its lines were loaded */
    double part;    /* how near the line of a list is that a prefetcher brings */
    double evicted; /* further ticks of every second look elsewhere: other cores have evicted these lines to memory */
    unsigned looks_elsewhere;
} hierarchy;

static struct run run;

static const struct access_list list = {
    .all = {{0, 0}}, .count = 1, .bytes = 2 * ACCESS_LINE_BYTES, .align = 2 * ACCESS_LINE_BYTES};

bool access_map(struct probe *p, struct access_area *a, size_t near_bytes, size_t home_bytes)
{
    (void)p, (void)near_bytes, (void)home_bytes;
    *a = (struct access_area){.data = {.bytes = 256 * ACCESS_PAGE_BYTES}};
    return true;
}

size_t access_begins(const struct access_list *l)
{
    return (size_t)(ACCESS_PAGE_BYTES - l->bytes) / (size_t)l->align + 1;
}

size_t access_slots(const struct access_area *a, const struct access_list *l)
{
    (void)l;
    return a->data.bytes / ACCESS_PAGE_BYTES;
}

bool access_emit(struct probe *p, struct access_area *a, const struct access_list *l)
{
    (void)p;
    a->emitted = l;
    return true;
}

static double ticks_of(const struct access_area *a, int32_t at)
{
    const size_t factor = a->empties_first / FIRST_LINES;

    if (at == ACCESS_ELSEWHERE)
        return hierarchy.home + (hierarchy.looks_elsewhere++ % 2 ? hierarchy.evicted : 0);
    if (a->emitted == &list)
        return hierarchy.home - hierarchy.part * (hierarchy.home - hierarchy.first);
    if (at != a->emitted->all[0].at)
        return hierarchy.home;
    return a->emitted->leaves_first ? hierarchy.left[factor < 1 ? 0 : factor < 2 ? 1 : 2] : hierarchy.first;
}

bool access_trials(struct probe *p, struct access_area *a, size_t places, const int32_t *looks, size_t trials,
                   double *ticks)
{
    (void)p, (void)places;
    for (size_t i = 0; i < trials; i++)
        ticks[i] = ticks_of(a, looks[i]);
    return true;
}

double probe_smoke(const struct probe *p, double smoke, double otherwise)
{
    (void)p, (void)smoke;
    return otherwise;
}

bool probe_is_smoke(const struct probe *p)
{
    (void)p;
    return false;
}

const struct machine_info *machine_info(void)
{
    static const struct machine_info none;

    return &none;
}

/* Times the levels; the second one is the home. */
static enum reason start(struct probe *p, struct prefetch_look *w)
{
    enum reason reason;

    run = (struct run){.meter = {.step_ticks = 1}};
    *p = (struct probe){.run = &run};
    assert_true(prefetch_look_start(p, w, FIRST_BYTES, 0, SECOND_BYTES, &reason));
    return reason;
}

static void set_levels(double first, double home)
{
    hierarchy.first = first;
    hierarchy.home = home;
    hierarchy.left[0] = hierarchy.left[1] = hierarchy.left[2] = home;
    hierarchy.evicted = 0;
}

/* The same where a level behind the second one is the home. */
static void start_behind(struct probe *p, struct prefetch_look *w, double first, double second, double home)
{
    enum reason reason;

    set_levels(first, home);
    hierarchy.left[0] = hierarchy.left[1] = hierarchy.left[2] = second;
    run = (struct run){.meter = {.step_ticks = 1}};
    *p = (struct probe){.run = &run};
    assert_true(prefetch_look_start(p, w, FIRST_BYTES, SECOND_BYTES, HOME_BYTES, &reason));
    assert_int_equal(reason, REASON_NONE);
}

/* LOOK_CONTRAST: a home that takes twice as long shows, one that takes a third longer does not. */
static void a_home_must_take_longer_than_the_first_level(void **state)
{
    struct probe p;
    struct prefetch_look w;

    (void)state;
    set_levels(12, 24);
    assert_int_equal(start(&p, &w), REASON_NONE);
    set_levels(12, 16);
    assert_int_equal(start(&p, &w), REASON_NO_CONTRAST);
}

/* EMPTIED_PART: a tenth more is what a level varies by, a third more are lines that are still near. */
static void a_level_is_emptied_when_looks_take_hardly_longer(void **state)
{
    struct probe p;
    struct prefetch_look w;

    (void)state;
    set_levels(10, 33);
    hierarchy.left[0] = 30;
    assert_int_equal(start(&p, &w), REASON_NONE);
    assert_int_equal(w.area.empties_first, 2 * FIRST_LINES);
    set_levels(10, 40);
    hierarchy.left[0] = 30;
    assert_int_equal(start(&p, &w), REASON_NONE);
    assert_int_equal(w.area.empties_first, 4 * FIRST_LINES);
}

static struct looked look(struct prefetch_look *w, double part)
{
    struct looked line = {.at = ACCESS_LINE_BYTES};

    hierarchy.part = part;
    assert_true(prefetch_look(w, &list, &line, 1));
    assert_true(fabs(line.part - part) < 1e-9);
    return line;
}

/* LOOK_TOLERANCE: a quarter of the way is as good as there; half of it is nowhere. */
static void a_line_half_of_the_way_is_unclear(void **state)
{
    struct probe p;
    struct prefetch_look w;

    (void)state;
    set_levels(10, 40);
    assert_int_equal(start(&p, &w), REASON_NONE);
    assert_int_equal(look(&w, 0).where, NEAR_HOME);
    assert_int_equal(look(&w, 0.25).where, NEAR_HOME);
    assert_int_equal(look(&w, 0.5).where, NEAR_UNCLEAR);
    assert_int_equal(look(&w, 0.75).where, NEAR_FIRST);
    assert_int_equal(look(&w, 1).where, NEAR_FIRST);
}

/* HOME_FARTHER: a home that takes longer for a while has not moved; one that takes as long as another level has. */
static void a_home_that_takes_much_longer_has_moved(void **state)
{
    struct probe p;
    struct prefetch_look w;
    struct looked line = {.at = ACCESS_LINE_BYTES};

    (void)state;
    set_levels(10, 40);
    assert_int_equal(start(&p, &w), REASON_NONE);
    hierarchy.part = 0;
    hierarchy.home = 65;
    assert_true(prefetch_look(&w, &list, &line, 1));
    assert_int_equal(w.moved, 0);
    assert_int_equal(line.where, NEAR_HOME);
    hierarchy.home = 120;
    assert_true(prefetch_look(&w, &list, &line, 1));
    assert_true(w.moved > 0);
}

/* Other cores evict some lines of a last level at any time: that is no other home. */
static void a_home_of_which_some_lines_are_evicted_has_not_moved(void **state)
{
    struct probe p;
    struct prefetch_look w;
    struct looked line = {.at = ACCESS_LINE_BYTES};

    (void)state;
    start_behind(&p, &w, 4, 11, 36);
    hierarchy.evicted = 250;
    hierarchy.part = 0;
    assert_true(prefetch_look(&w, &list, &line, 1));
    assert_int_equal(w.moved, 0);
    assert_int_equal(line.where, NEAR_HOME);
}

/*
 * While all of them are evicted, the accesses of a list bring lines back from memory. They are home then, nearer than
 * any other line, and not brought by a prefetcher.
 */
static void a_line_that_is_home_is_not_brought_where_others_are_in_memory(void **state)
{
    const double home = 36, memory = 300;
    struct probe p;
    struct prefetch_look w;
    struct looked line = {.at = ACCESS_LINE_BYTES};

    (void)state;
    start_behind(&p, &w, 4, 11, home);
    hierarchy.home = memory;
    hierarchy.part = (memory - home) / (memory - hierarchy.first);
    assert_true(prefetch_look(&w, &list, &line, 1));
    assert_true(line.where <= NEAR_HOME);
    assert_false(looked_known(&line));
}

/* Levels that were timed in such a time are timed again. */
static void a_home_that_was_memory_is_timed_again(void **state)
{
    struct probe p;
    struct prefetch_look w;
    struct looked line = {.at = ACCESS_LINE_BYTES};

    (void)state;
    start_behind(&p, &w, 4, 11, 300);
    hierarchy.home = 36;
    hierarchy.part = 0;
    assert_true(prefetch_look(&w, &list, &line, 1));
    assert_true(fabs(w.ticks[NEAR_HOME] - 36) < 1e-9);
    assert_int_equal(line.where, NEAR_HOME);
}

/* Two ends of a look, each uniform within a step of 4,000 ticks: 24 trials leave more than a sixth of 30 ticks. */
static void a_coarse_clock_resolves_no_look(void **state)
{
    struct probe p;
    struct prefetch_look w;

    (void)state;
    set_levels(10, 40);
    assert_int_equal(start(&p, &w), REASON_NONE);
    assert_true(prefetch_look_resolves(&w, &list));
    run.meter.step_ticks = 4000;
    assert_false(prefetch_look_resolves(&w, &list));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_home_must_take_longer_than_the_first_level),
        cmocka_unit_test(a_level_is_emptied_when_looks_take_hardly_longer),
        cmocka_unit_test(a_line_half_of_the_way_is_unclear),
        cmocka_unit_test(a_home_that_takes_much_longer_has_moved),
        cmocka_unit_test(a_home_of_which_some_lines_are_evicted_has_not_moved),
        cmocka_unit_test(a_line_that_is_home_is_not_brought_where_others_are_in_memory),
        cmocka_unit_test(a_home_that_was_memory_is_timed_again),
        cmocka_unit_test(a_coarse_clock_resolves_no_look),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
