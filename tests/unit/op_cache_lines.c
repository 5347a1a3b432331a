/* How many entries of the operation cache lines in random order take, from how many of them are held. */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/op_cache_layout.h"

enum { L1I_LINES = 512 };

/* The fit of layouts, in the same file, uses it. */
unsigned straight_begin(unsigned per_line, unsigned bytes)
{
    return per_line * bytes / STRAIGHT_LINE_BYTES;
}

static enum reason entries_of(double few, double more, double most, double entries[3])
{
    return op_cache_entries_of_lines((const double[]){few, more, most}, 3, L1I_LINES, entries);
}

/* 12 ways hold lines of one entry, of two, of three and of four. */
static void a_line_takes_a_whole_number_of_entries(void **state)
{
    double entries[3];

    (void)state;
    assert_int_equal(entries_of(768, 384, 256, entries), REASON_NONE);
    assert_true(entries[0] == 1 && entries[1] == 2 && entries[2] == 3);
    assert_int_equal(entries_of(768, 256, 192, entries), REASON_NONE);
    assert_true(entries[1] == 3 && entries[2] == 4);
}

/* WHOLE_OFF: the first number is known roughly, but half way between two whole numbers is neither. */
static void what_lies_between_is_none(void **state)
{
    double entries[3];

    (void)state;
    assert_int_equal(entries_of(2.15 * 384, 384, 256, entries), REASON_NONE);
    assert_int_equal(entries_of(768, 384, 768 / 2.4, entries), REASON_EXPERIMENTS_DISAGREE);
}

/* AT_L1I: whatever is in the lines, an instruction cache holds as many; near that number it may be either. */
static void an_instruction_cache_is_not_taken_for_it(void **state)
{
    double entries[3];

    (void)state;
    assert_int_equal(entries_of(L1I_LINES, 256, 128, entries), REASON_AMBIGUOUS);
    assert_int_equal(entries_of(1.05 * L1I_LINES, 256, 128, entries), REASON_AMBIGUOUS);
    assert_int_equal(entries_of(1.2 * L1I_LINES, 307, 153, entries), REASON_NONE);
    assert_int_equal(op_cache_entries_of_lines((const double[]){768, 384, 256}, 3, (double)NAN, entries),
                     REASON_AMBIGUOUS);
}

/* Lines that take one entry each do not show that entries are counted: anything may hold so many lines. */
static void equal_numbers_of_lines_decide_nothing(void **state)
{
    double entries[3];

    (void)state;
    assert_int_equal(entries_of(768, 768, 768, entries), REASON_TOO_FEW_RISES);
    assert_int_equal(entries_of(768, 768, 384, entries), REASON_TOO_FEW_RISES);
    assert_int_equal(entries_of((double)NAN, 384, 256, entries), REASON_NO_KNEE);
    assert_int_equal(entries_of(768, (double)NAN, 256, entries), REASON_AMBIGUOUS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_takes_a_whole_number_of_entries),
        cmocka_unit_test(what_lies_between_is_none),
        cmocka_unit_test(an_instruction_cache_is_not_taken_for_it),
        cmocka_unit_test(equal_numbers_of_lines_decide_nothing),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
