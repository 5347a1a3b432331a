/* Protects how long repeated code takes whose instructions wait for units and for each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/model_schedule.h"

static const double NEAR = 1e-3;
static const double two_units[SCHEDULE_RESOURCES] = {0.5};

static struct flow_step step(unsigned from, unsigned to, float cycles)
{
    return (struct flow_step){.edges = {{(uint8_t)from, (uint8_t)to, cycles}}, .count = 1};
}

static struct schedule_need operations(double count)
{
    return (struct schedule_need){.front_end = 0.25, .of = {count * 0.5}};
}

static void assert_takes(const struct flow_step *steps, size_t count, double expected)
{
    const struct schedule_need needs[] = {operations(1), operations(1), operations(1)};

    assert_true(fabs(schedule_cycles(steps, needs, count, two_units, 1.5) - expected) < NEAR);
}

static void test_what_waits_for_nothing_takes_what_its_units_take(void **state)
{
    const struct flow_step steps[] = {step(FLOW_NOTHING, 0, 1), step(FLOW_NOTHING, 1, 1), step(FLOW_NOTHING, 2, 1)};

    (void)state;
    assert_takes(steps, 3, 1.5);
}

/* Two older instructions are ready together with that of the chain, and take both units. */
static void test_older_instructions_delay_a_chain(void **state)
{
    const struct flow_step forked[] = {step(2, 0, 1), step(2, 1, 1), step(2, 2, 1)};
    const struct flow_step apart[] = {step(FLOW_NOTHING, 0, 1), step(FLOW_NOTHING, 1, 1), step(2, 2, 1)};

    (void)state;
    assert_takes(forked, 3, 2);
    assert_takes(apart, 3, 1.5);
}

/* Instructions begin in whole cycles, as far as times were measured exactly. */
static void test_a_chain_takes_whole_cycles(void **state)
{
    const struct flow_step near[] = {step(0, 0, 1.05F)}, far[] = {step(0, 0, 1.2F)};

    (void)state;
    assert_takes(near, 1, 1);
    assert_takes(far, 1, 2);
}

static void test_operations_of_one_instruction_take_turns(void **state)
{
    const struct flow_step steps[] = {step(FLOW_NOTHING, 0, 1)};
    const struct schedule_need needs[] = {operations(5)};

    (void)state;
    assert_true(fabs(schedule_cycles(steps, needs, 1, two_units, 2.5) - 2.5) < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_waits_for_nothing_takes_what_its_units_take),
        cmocka_unit_test(test_older_instructions_delay_a_chain),
        cmocka_unit_test(test_a_chain_takes_whole_cycles),
        cmocka_unit_test(test_operations_of_one_instruction_take_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
