/* Paths of forwarding: cycles of pairs are sorted into renamed, forwarded, slow and blocked. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/forwarding_paths.h"

enum { LOAD = 4, EXTRA = 3 };

#define DECIDE(w, ...) \
    forwarding_paths_decide(w, (double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

static struct forwarding_paths paths(double load, double extra)
{
    return (struct forwarding_paths){.load = load, .extra = extra};
}

static void each_path_is_recognised(void **state)
{
    struct forwarding_paths w = paths(LOAD, 0);

    (void)state;
    assert_true(DECIDE(&w, 1, 1, 4, 4, 6, 14, 14));
    assert_int_equal(w.clusters.count, 4);
    assert_int_equal(forwarding_path_of(&w, 1), PATH_RENAMED);
    assert_int_equal(forwarding_path_of(&w, 4), PATH_FORWARDED);
    assert_int_equal(forwarding_path_of(&w, 6), PATH_SLOW);
    assert_int_equal(forwarding_path_of(&w, 14), PATH_BLOCKED);
    assert_int_equal(forwarding_path_of(&w, 9), PATH_UNKNOWN);
}

/* The arithmetic of the chain counts for every path. */
static void arithmetic_is_subtracted(void **state)
{
    struct forwarding_paths w = paths(LOAD, EXTRA);

    (void)state;
    assert_true(DECIDE(&w, EXTRA + 1, EXTRA + 4));
    assert_int_equal(forwarding_path_of(&w, EXTRA + 1), PATH_RENAMED);
    assert_int_equal(forwarding_path_of(&w, EXTRA + 4), PATH_FORWARDED);
}

/* SAME_PATH_CYCLES */
static void paths_a_cycle_apart_are_two_and_noise_makes_none(void **state)
{
    struct forwarding_paths w = paths(LOAD, 0);

    (void)state;
    assert_true(DECIDE(&w, 3.9, 4, 4.3, 5, 5.1));
    assert_int_equal(w.clusters.count, 2);
}

/* SAME_PATH_PART */
static void blocked_loads_may_differ_by_a_part(void **state)
{
    struct forwarding_paths w = paths(LOAD, 0);

    (void)state;
    assert_true(DECIDE(&w, 4, 20, 21, 21.4));
    assert_int_equal(w.clusters.count, 2);
    assert_true(DECIDE(&w, 4, 20, 24));
    assert_int_equal(w.clusters.count, 3);
}

/* RENAMED_PART */
static void a_pair_is_renamed_if_it_takes_well_below_a_load(void **state)
{
    struct forwarding_paths w = paths(LOAD, 0);

    (void)state;
    assert_true(DECIDE(&w, 2, 4));
    assert_int_equal(forwarding_path_of(&w, 2), PATH_RENAMED);
    assert_true(DECIDE(&w, 4, 9));
    assert_int_equal(forwarding_path_of(&w, 4), PATH_FORWARDED);
}

static void without_a_load_nothing_is_decided(void **state)
{
    struct forwarding_paths w = paths((double)NAN, 0);

    (void)state;
    assert_false(DECIDE(&w, 1, 4));
    assert_int_equal(forwarding_path_of(&w, 4), PATH_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_path_is_recognised),
        cmocka_unit_test(arithmetic_is_subtracted),
        cmocka_unit_test(paths_a_cycle_apart_are_two_and_noise_makes_none),
        cmocka_unit_test(blocked_loads_may_differ_by_a_part),
        cmocka_unit_test(a_pair_is_renamed_if_it_takes_well_below_a_load),
        cmocka_unit_test(without_a_load_nothing_is_decided),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
