/* Conditions of memory renaming: decided where a value that stays the same and one that changes agree. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/renaming_conditions.h"

static enum renaming_answer answer(double constant, double changing)
{
    struct renaming_conditions r = {.load = 4};

    r.cycles[RENAMING_CONSTANT][RENAMING_LINE] = constant;
    r.cycles[RENAMING_CHANGING][RENAMING_LINE] = changing;
    return renaming_condition_decide(&r, RENAMING_LINE);
}

/* As on Zen 4: pairs that cross a line take two cycles because of their stores, and one on top of an addition. */
static void renamed_pairs_take_well_below_a_load(void **state)
{
    (void)state;
    assert_int_equal(answer(1, 0), RENAMING_YES);
    assert_int_equal(answer(2, 1), RENAMING_YES);
    assert_int_equal(answer(4, 4), RENAMING_NO);
    assert_int_equal(answer(80, 47), RENAMING_NO);
}

static void both_values_have_to_agree(void **state)
{
    (void)state;
    assert_int_equal(answer(1, 4), RENAMING_DIFFER); /* the value was predicted */
    assert_int_equal(answer(NAN, 0), RENAMING_UNKNOWN);
    assert_int_equal(answer(4, NAN), RENAMING_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renamed_pairs_take_well_below_a_load),
        cmocka_unit_test(both_values_have_to_agree),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
