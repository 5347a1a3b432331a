/* Whether rates of short code at several densities show that nothing keeps operations. */
/* libs: -lm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/op_cache_layout.h"

#define ABSENT(...) \
    op_cache_absent((struct op_cache_rate[]){__VA_ARGS__}, \
                    sizeof((struct op_cache_rate[]){__VA_ARGS__}) / sizeof(struct op_cache_rate))

/* The fit of layouts, in the same file, uses it. */
unsigned straight_begin(unsigned per_line, unsigned bytes)
{
    return per_line * bytes / STRAIGHT_LINE_BYTES;
}

/* 16 bytes a cycle at every density: what is twice as dense takes half as long. */
static void without_an_operation_cache_bytes_limit_short_code(void **state)
{
    (void)state;
    assert_true(ABSENT({8, 4.0 / 8}, {12, 4.0 / 12}, {16, 4.0 / 16}));
}

/* BOUND_BY_BYTES: a density that is a fifteenth slower may be so by noise. */
static void bytes_make_sparse_code_much_slower(void **state)
{
    (void)state;
    assert_false(ABSENT({15, 4.0 / 15}, {16, 4.0 / 16}));
}

/* ALIKE: of six operations a cycle, 15 to a line are a fifteenth more bytes a cycle than 16. */
static void operations_limit_code_whose_bytes_a_cycle_differ(void **state)
{
    (void)state;
    assert_false(ABSENT({5, 0.6}, {15, 1.0 / 6}, {16, 1.0 / 6}));
    assert_true(ABSENT({5, 0.8}, {15, 4 * 0.98 / 15}, {16, 4.0 / 16})); /* alike but for two percent */
}

/* LESS_THAN_A_LINE: the code takes a whole cycle for each line, or two. */
static void a_line_a_cycle_is_what_an_operation_cache_delivers(void **state)
{
    (void)state;
    assert_false(ABSENT({4, 1.0 / 4}, {6, 1.0 / 6}, {8, 1.0 / 8}));
    assert_true(ABSENT({4, 2.0 / 4}, {6, 2.0 / 6}, {8, 2.0 / 8}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_an_operation_cache_bytes_limit_short_code),
        cmocka_unit_test(bytes_make_sparse_code_much_slower),
        cmocka_unit_test(operations_limit_code_whose_bytes_a_cycle_differ),
        cmocka_unit_test(a_line_a_cycle_is_what_an_operation_cache_delivers),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
