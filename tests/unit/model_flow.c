/* Protects how long chains of dependences in repeated code are, and which instructions they lead through. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/model_flow.h"

static const double NEAR = 1e-6;

static struct flow_step step(unsigned from, unsigned to, float cycles)
{
    return (struct flow_step){.edges = {{(uint8_t)from, (uint8_t)to, cycles}}, .count = 1};
}

static void test_a_chain_is_as_long_as_its_latencies(void **state)
{
    /* 0 -> 1 -> 0, and 2 -> 2 beside it */
    struct flow_step steps[] = {step(0, 1, 3), step(2, 2, 3), step(1, 0, 1)};

    (void)state;
    const double cycles = flow_cycles(steps, 3);
    assert_true(fabs(cycles - 4) < NEAR);
    assert_true(flow_is_critical(steps, 3, 0, cycles));
    assert_false(flow_is_critical(steps, 3, 1, cycles));
    assert_true(flow_is_critical(steps, 3, 2, cycles));
}

static void test_what_is_overwritten_ends_a_chain(void **state)
{
    struct flow_step steps[] = {step(0, 0, 5), step(FLOW_NOTHING, 0, 0)};

    (void)state;
    assert_true(flow_cycles(steps, 2) < NEAR);
}

/* Values that change places: the cycle goes round in two iterations, and takes half in each. */
static void test_a_cycle_may_take_several_iterations(void **state)
{
    struct flow_step both = {.edges = {{0, 1, 4}, {1, 0, 1}}, .count = 2};

    (void)state;
    const double cycles = flow_cycles(&both, 1);
    assert_true(fabs(cycles - 2.5) < NEAR);
    assert_true(flow_is_critical(&both, 1, 0, cycles));
}

/* The longest cycle of which an instruction's part still shows, in one of its sixteen iterations (CRITICAL). */
static void test_an_instruction_of_a_long_cycle_is_critical(void **state)
{
    enum { ITERATIONS = 16 };
    struct flow_step steps[2] = {step(0, 0, 4)}, *turn = &steps[1];

    (void)state;
    for (turn->count = 0; turn->count < ITERATIONS; turn->count++)
        turn->edges[turn->count] = (struct flow_edge){(uint8_t)turn->count, (uint8_t)((turn->count + 1) % ITERATIONS),
                                                      0};
    const double cycles = flow_cycles(steps, 2);
    assert_true(cycles > 0);
    assert_true(flow_is_critical(steps, 2, 0, cycles));
}

/* What is made longer by less than an instruction of such a cycle is no part of it: see CRITICAL. */
static void test_what_is_beside_a_cycle_is_not_critical(void **state)
{
    struct flow_step steps[] = {step(0, 0, 4), step(1, 1, 3.755F)};

    (void)state;
    assert_false(flow_is_critical(steps, 2, 1, flow_cycles(steps, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_chain_is_as_long_as_its_latencies),
        cmocka_unit_test(test_what_is_overwritten_ends_a_chain),
        cmocka_unit_test(test_a_cycle_may_take_several_iterations),
        cmocka_unit_test(test_an_instruction_of_a_long_cycle_is_critical),
        cmocka_unit_test(test_what_is_beside_a_cycle_is_not_critical),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
