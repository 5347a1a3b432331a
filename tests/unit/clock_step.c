/* The steps in which a time stamp advances, by the stamps of a list: whole ones, scaled ones, and none to be seen. */
/* link: tests/unit/measure/core.c */
/* libs: -lm */
#include "lib/base/random.h"
#include "lib/measure/list.h"
#include "tests/unit/measure/core.h"

enum { READINGS = 64 };

/* The step that a list shows whose distances are random numbers of steps of that length; odd: but for one stamp. */
static double step_of(double length, uint64_t first, bool odd)
{
    struct reading list[READINGS];
    uint64_t random = first, steps = 0;

    for (size_t i = 0; i < READINGS; i++) {
        list[i].begin_ticks = first + (uint64_t)((double)(steps += 2 + random_below(&random, 3)) * length);
        list[i].end_ticks = first + (uint64_t)((double)(steps += 2 + random_below(&random, 3)) * length);
    }
    list[READINGS / 2].end_ticks += odd ? (uint64_t)(length / 3) : 0;
    return list_step(list, READINGS);
}

static void whole_steps_are_exact(void **state)
{
    (void)state;
    for (uint64_t length = 1; length <= 40; length++)
        assert_true(step_of((double)length, 1000 * length, false) == (double)length);
}

/* A clock of 100 MHz in ticks of 2.445 GHz, as hypervisors show, and others. */
static void scaled_steps_are_found_within_a_part_of_a_tick(void **state)
{
    static const double lengths[] = {18.3, 24.454, 30.72, 41.67, 104.17};

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (uint64_t first = 1; first <= 20; first++)
            assert_true(fabs(step_of(lengths[i], first, false) - lengths[i]) < 0.1);
}

static void no_step_is_found_where_one_stamp_is_no_multiple(void **state)
{
    (void)state;
    for (uint64_t first = 1; first <= 20; first++)
        assert_true(step_of(24.454, first, true) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_steps_are_exact),
        cmocka_unit_test(scaled_steps_are_found_within_a_part_of_a_tick),
        cmocka_unit_test(no_step_is_found_where_one_stamp_is_no_multiple),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
