/* Protects which operations a form has, by the time for which it keeps units of each class busy. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/model_ops.h"

/* Additions on four units, shifts on two of them, multiplications on one of these, and moves on one elsewhere. */
enum { ADD, SHIFT, MULTIPLY, MOVE };
static const struct form_demands demands = {.units = {[ADD] = 15, [SHIFT] = 3, [MULTIPLY] = 1, [MOVE] = 16},
                                            .each = {[ADD] = 0.25, [SHIFT] = 0.5, [MULTIPLY] = 1, [MOVE] = 1}};

static struct schedule_need need_of(struct form_demand f, double latency)
{
    struct schedule_need n = {.count = 0};

    model_ops_set(&demands, &f, latency, &n);
    return n;
}

static void test_an_operation_is_of_the_smallest_class(void **state)
{
    const struct schedule_need multiply = need_of(
        (struct form_demand){.of = {[ADD] = 0.251, [SHIFT] = 0.499, [MULTIPLY] = 1.002}}, 2.998);
    const struct schedule_need add = need_of((struct form_demand){.of = {[ADD] = 0.26}}, 1.001);

    (void)state;
    assert_int_equal(multiply.count, 1);
    assert_int_equal(multiply.ops[0].units, 1);
    assert_int_equal(multiply.ops[0].cycles, 3);
    assert_int_equal(add.count, 1);
    assert_int_equal(add.ops[0].units, 15);
    assert_int_equal(add.ops[0].cycles, 1);
}

/* Two operations on the units that shift, of which one can only run on that which multiplies, as BTR on Zen 4. */
static void test_several_operations_take_turns(void **state)
{
    const struct schedule_need n = need_of((struct form_demand){.of = {[ADD] = 0.503, [SHIFT] = 1, [MULTIPLY] = 1}},
                                           1.999);

    (void)state;
    assert_int_equal(n.count, 2);
    assert_int_equal(n.ops[0].units, 1);
    assert_int_equal(n.ops[1].units, 3);
    assert_int_equal(n.ops[0].cycles, 1);
    assert_int_equal(n.ops[1].cycles, 1);
}

/* Conflicts of results keep a class busy for a part of an operation. */
static void test_part_of_an_operation_is_none(void **state)
{
    (void)state;
    assert_int_equal(need_of((struct form_demand){.of = {[ADD] = 0.25, [MOVE] = 0.5}}, 1).count, 1);
    assert_int_equal(need_of((struct form_demand){.of = {[MOVE] = 0.8}}, 1).count, 1);
}

static void test_what_has_no_latency_has_no_result(void **state)
{
    (void)state;
    assert_int_equal(need_of((struct form_demand){.of = {[ADD] = 0.25}}, 0).ops[0].cycles, 0);
    assert_int_equal(need_of((struct form_demand){.of = {[ADD] = 0.25}}, SCHEDULE_LATENCY).ops[0].cycles, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_operation_is_of_the_smallest_class),
        cmocka_unit_test(test_several_operations_take_turns),
        cmocka_unit_test(test_part_of_an_operation_is_none),
        cmocka_unit_test(test_what_has_no_latency_has_no_result),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
