/* Thresholds of lib/structure/tolerances_hierarchy.h at work: set associativity. Curves are given and not measured. */
/* link: tests/unit/structure/given.c tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/set_associativity.h"
#include "lib/structure/set_steps.h"
#include "tests/unit/structure/given.h"

enum { DISTANCES = 6, SHORTEST = 2048 };

/* The ways that so many places, at distances from SHORTEST on, and this capacity show. */
static const struct finding *ways_of(const double counts[DISTANCES], double capacity)
{
    static const char *const names[DISTANCES] = {"2k", "4k", "8k", "16k", "32k", "64k"};
    const struct set_associativity a = {
        .ways = "ways", .index_bits = "bits", .capacity = capacity, .line_bytes = 64, .known_bytes = INFINITY};
    struct sweep s[DISTANCES];
    size_t distances[DISTANCES];

    given_start(true);
    for (size_t i = 0; i < DISTANCES; i++) {
        s[i] = (struct sweep){.name = names[i], .confounder = names[i]};
        s[i].search.verdict = given_step(4, 14, counts[i]);
        distances[i] = (size_t)SHORTEST << i;
    }
    set_associativity_report(&given_probe, &a, s, distances, DISTANCES);
    return given_finding("ways", 0);
}

/* WAYS_ALIKE: an edge that is seen 10 % too late is the same capacity, one that is seen 40 % too late is not. */
static void ways_and_sets_are_about_the_capacity(void **state)
{
    static const double counts[DISTANCES] = {32, 16, 16, 16, 16, 16};
    const double capacity = 16 * 2 * SHORTEST;

    (void)state;
    assert_true(ways_of(counts, 1.1 * capacity)->value == 16);
    const struct finding *f = ways_of(counts, 1.4 * capacity);
    assert_true(isnan(f->value) && f->reason == REASON_EXPERIMENTS_DISAGREE);
}

/* SINGLE_SET_DISTANCES: a table of 8 entries ends the curves of the longest distances. */
static void other_tables_end_curves_of_long_distances(void **state)
{
    const struct finding *f = ways_of((double[DISTANCES]){32, 16, 16, 16, 8, 8}, 16 * 2 * SHORTEST);

    (void)state;
    assert_true(f->value == 16);
    assert_int_equal(f->grade, 'A');
}

/*
 * A cache of 24 KiB in 6 ways of 4 KiB, before a second level of 8 ways of 8 KiB, whose steps are the last ones. With a
 * capacity that is not known, or agrees with no step, the last ones count.
 */
static void steps_that_make_up_the_capacity_are_the_caches(void **state)
{
    enum { COUNT = 4 };
    static const size_t bytes[COUNT] = {2048, 4096, 8192, 16384};
    static const double own[COUNT] = {12, 6, 6, 6}, second[COUNT] = {32, 16, 8, 8};
    struct sweep all[COUNT], behind[COUNT], chosen[COUNT];

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        all[i] = (struct sweep){.name = "all"};
        all[i].search.verdict = given_staircase(3, (double[]){20, 45, 90}, (double[]){own[i], second[i]});
        behind[i] = (struct sweep){.name = "behind"};
        behind[i].search.verdict = given_step(45, 90, second[i]);
    }
    set_steps_choose(24 << 10, all, behind, bytes, COUNT, chosen);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(chosen[i].search.verdict.knees[0].value == own[i]);
    set_steps_choose(NAN, all, behind, bytes, COUNT, chosen);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(chosen[i].search.verdict.knees[0].value == second[i]);
    set_steps_choose(640 << 10, all, behind, bytes, COUNT, chosen);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(chosen[i].search.verdict.knees[0].value == second[i]);
}

/* A distance farther apart is wanted while no two fall into one set and frames are known, and a nearer one if all do. */
static void distances_that_do_not_decide_ask_for_others(void **state)
{
    enum { COUNT = 2 };
    static const size_t bytes[COUNT] = {2048, 4096};
    struct set_associativity a = {.known_bytes = 4096};
    struct sweep s[COUNT] = {{.name = "2k"}, {.name = "4k"}};

    (void)state;
    s[0].search.verdict = given_step(4, 14, 8);
    s[1].search.verdict = given_step(4, 14, 8);
    assert_int_equal(set_associativity_further(&a, s, bytes, COUNT), -1);
    s[0].search.verdict = given_step(4, 14, 16);
    assert_int_equal(set_associativity_further(&a, s, bytes, COUNT), 1);
    a.known_bytes = 2048;
    assert_int_equal(set_associativity_further(&a, s, bytes, COUNT), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_and_sets_are_about_the_capacity),
        cmocka_unit_test(other_tables_end_curves_of_long_distances),
        cmocka_unit_test(steps_that_make_up_the_capacity_are_the_caches),
        cmocka_unit_test(distances_that_do_not_decide_ask_for_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
