/* A cycle counter is the unit only where it counts cycles: no fault in reading it proves nothing. */
/* link: arch/reader.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/reader.h"

const char reader_chain_kernel[1];

/* What a counter would show that counts so many a cycle, in steps, and now and then more. */
static void count(struct reading list[READER_PROOF], double a_cycle, uint64_t step, unsigned disturbed)
{
    double now = 12345;

    reader_proof_list(list);
    for (unsigned i = 0; i < READER_PROOF; i++) {
        assert_int_equal(list[i].kernel, (uintptr_t)reader_chain_kernel);
        now += 70 * a_cycle;
        list[i].begin_count[0] = (uint64_t)now / step * step;
        now += (double)(list[i].argument[0] * READER_CHAIN + 40) * a_cycle;
        if (i < disturbed)
            now += 100000 * (double)(i % 2 + 1);
        list[i].end_count[0] = (uint64_t)now / step * step;
    }
}

static void cycles_are_cycles(void **state)
{
    struct reading list[READER_PROOF];

    (void)state;
    for (unsigned disturbed = 0; disturbed <= 4; disturbed++) {
        count(list, 1, 1, disturbed);
        assert_null(reader_proof_verdict(list));
        assert_true(reader_proof_moves(list));
    }
    count(list, 1, 16, 0);
    assert_null(reader_proof_verdict(list));
}

static void a_counter_that_stands_still_is_none(void **state)
{
    struct reading list[READER_PROOF];

    (void)state;
    count(list, 0, 1, 0);
    assert_non_null(reader_proof_verdict(list));
    assert_false(reader_proof_moves(list));
}

/* The time stamp's rate, every 64th cycle (PMCR_EL0.D), or large steps: it moves, and is no cycle counter. */
static void what_moves_may_be_something_else(void **state)
{
    static const double rates[] = {0.7, 0.97, 1.03, 1.5, 1.0 / 64};
    struct reading list[READER_PROOF];

    (void)state;
    for (unsigned i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        count(list, rates[i], 1, 0);
        assert_non_null(reader_proof_verdict(list));
        assert_true(reader_proof_moves(list));
    }
    count(list, 1, 1500, 0);
    assert_non_null(reader_proof_verdict(list));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_are_cycles),
        cmocka_unit_test(a_counter_that_stands_still_is_none),
        cmocka_unit_test(what_moves_may_be_something_else),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
