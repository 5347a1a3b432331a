/* Protects how long repeated code takes whose instructions wait for units, for result ports and for each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/model_schedule.h"

static const double NEAR = 1e-3;
static const double FRONT_END = 0.25;

static struct flow_step step(unsigned from, unsigned to, float cycles)
{
    return (struct flow_step){.edges = {{(uint8_t)from, (uint8_t)to, cycles}}, .count = 1};
}

/* One operation on any of these units. */
static struct schedule_need operation(uint16_t units, uint8_t cycles)
{
    return (struct schedule_need){.front_end = FRONT_END, .ops = {{units, cycles}}, .count = 1};
}

static void assert_takes(const struct flow_step *steps, const struct schedule_need *needs, size_t count,
                         double expected)
{
    const double cycles = schedule_cycles(steps, needs, count, expected);

    if (!(fabs(cycles - expected) < NEAR))
        print_message("%g cycles\n", cycles);
    assert_true(fabs(cycles - expected) < NEAR);
}

static void test_what_waits_for_nothing_takes_what_its_units_take(void **state)
{
    const struct flow_step steps[] = {step(FLOW_NOTHING, 0, 1), step(FLOW_NOTHING, 1, 1), step(FLOW_NOTHING, 2, 1)};
    const struct schedule_need two[] = {operation(3, 1), operation(3, 1), operation(3, 1)};
    const struct schedule_need four[] = {operation(1, 1), operation(15, 1), operation(15, 1)};

    (void)state;
    assert_takes(steps, two, 3, 1.5);
    assert_takes(steps, four, 3, 1);
}

static void test_the_front_end_limits(void **state)
{
    const struct flow_step steps[] = {step(FLOW_NOTHING, 0, 1)};
    struct schedule_need needs[] = {operation(15, 1)};

    (void)state;
    needs[0].front_end = 1.5;
    assert_takes(steps, needs, 1, 1.5);
}

/* Two older instructions are ready together with that of the chain, and take both units. */
static void test_older_instructions_delay_a_chain(void **state)
{
    const struct flow_step forked[] = {step(2, 0, 1), step(2, 1, 1), step(2, 2, 1)};
    const struct flow_step apart[] = {step(FLOW_NOTHING, 0, 1), step(FLOW_NOTHING, 1, 1), step(2, 2, 1)};
    const struct schedule_need needs[] = {operation(3, 1), operation(3, 1), operation(3, 1)};

    (void)state;
    assert_takes(forked, needs, 3, 2);
    assert_takes(apart, needs, 3, 1.5);
}

/*
 * A multiplication of three cycles and two operations of two, all on one unit: one of those would return together with
 * the multiplication. Zen 4 takes four cycles for `imul esi, ebx; btr rax, 5; btr rcx, 5`, and three with one `btr`.
 */
static void test_a_unit_returns_one_result_a_cycle(void **state)
{
    const struct flow_step steps[] = {step(0, 0, 3), step(FLOW_NOTHING, 1, 2), step(FLOW_NOTHING, 2, 2)};
    const struct schedule_need needs[] = {operation(1, 3), operation(1, 2), operation(1, 2)};
    const struct schedule_need without[] = {operation(1, 0), operation(1, 0), operation(1, 0)};

    (void)state;
    assert_takes(steps, needs, 2, 3);
    assert_takes(steps, needs, 3, 4);
    assert_takes(steps, without, 3, 3);
}

/* Instructions begin in whole cycles, as far as times were measured exactly. */
static void test_a_chain_takes_whole_cycles(void **state)
{
    const struct flow_step near[] = {step(0, 0, 1.05F)}, far[] = {step(0, 0, 1.2F)};
    const struct schedule_need needs[] = {operation(3, 1)};

    (void)state;
    assert_takes(near, needs, 1, 1);
    assert_takes(far, needs, 1, 2);
}

static void test_operations_of_one_instruction_take_turns(void **state)
{
    const struct flow_step steps[] = {step(FLOW_NOTHING, 0, 1)};
    const struct schedule_need needs[] = {
        {.front_end = FRONT_END, .ops = {{3, 1}, {3, 1}, {3, 1}, {3, 1}, {3, 1}}, .count = 5}};

    (void)state;
    assert_takes(steps, needs, 1, 2.5);
}

static void test_forms_of_a_group_wait_for_each_other(void **state)
{
    const struct flow_step steps[] = {step(FLOW_NOTHING, 0, 1), step(FLOW_NOTHING, 1, 1)};
    struct schedule_need needs[] = {operation(1, 1), operation(2, 1)};

    (void)state;
    assert_takes(steps, needs, 2, 1);
    needs[0].group = needs[1].group = SCHEDULE_GROUPS;
    needs[0].group_cycles = 2;
    needs[1].group_cycles = 1;
    assert_takes(steps, needs, 2, 3);
}

/* What is written once an iteration of more instructions than are in flight is there. */
static void test_long_code_finds_its_values(void **state)
{
    enum { LONG = 400 };
    static struct flow_step steps[LONG];
    static struct schedule_need needs[LONG];

    (void)state;
    for (size_t i = 0; i < LONG; i++) {
        steps[i] = i ? step(FLOW_NOTHING, 1, 1) : step(0, 0, 4);
        needs[i] = operation(15, 1);
    }
    assert_takes(steps, needs, LONG, LONG * FRONT_END);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_waits_for_nothing_takes_what_its_units_take),
        cmocka_unit_test(test_the_front_end_limits),
        cmocka_unit_test(test_older_instructions_delay_a_chain),
        cmocka_unit_test(test_a_unit_returns_one_result_a_cycle),
        cmocka_unit_test(test_a_chain_takes_whole_cycles),
        cmocka_unit_test(test_operations_of_one_instruction_take_turns),
        cmocka_unit_test(test_forms_of_a_group_wait_for_each_other),
        cmocka_unit_test(test_long_code_finds_its_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
