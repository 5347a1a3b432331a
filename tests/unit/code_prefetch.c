/* What a prefetch of code does: by the part of a miss that it saves, where misses cost enough and times repeat. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/code_prefetch.h"

/* A jump takes 100 cycles where nothing misses, and 20 more for a miss. */
static enum code_prefetch_effect effect(double saved, double other, double after, double miss, enum reason *reason)
{
    const struct code_prefetch_times t = {
        100 + miss, 100 + miss + after, 100, {100 + miss - saved, 100 + miss - other}};

    return code_prefetch_effect(&t, reason);
}

static void a_part_of_a_miss_decides(void **state)
{
    enum reason reason;

    (void)state;
    assert_int_equal(effect(20, 20, 0, 20, &reason), CODE_PREFETCH_BRINGS);
    assert_int_equal(reason, REASON_NONE);
    assert_int_equal(effect(12, 13, 0, 20, &reason), CODE_PREFETCH_BRINGS);
    assert_int_equal(effect(0, 0, 0, 20, &reason), CODE_PREFETCH_NOTHING);
    assert_int_equal(effect(1, -1, 0, 20, &reason), CODE_PREFETCH_NOTHING);
    assert_int_equal(reason, REASON_NONE);
    assert_int_equal(effect(4, 4, 0, 20, &reason), CODE_PREFETCH_UNKNOWN);
    assert_int_equal(effect(20, 0, 0, 20, &reason), CODE_PREFETCH_UNKNOWN);
    assert_int_equal(reason, REASON_AMBIGUOUS);
}

static void what_does_not_repeat_or_hardly_misses_is_unknown(void **state)
{
    enum reason reason;

    (void)state;
    assert_int_equal(effect(20, 20, 5, 20, &reason), CODE_PREFETCH_UNKNOWN);
    assert_int_equal(reason, REASON_NOT_STEADY);
    assert_int_equal(effect(20, 20, 1.5, 20, &reason), CODE_PREFETCH_BRINGS);
    assert_int_equal(effect(3, 3, 0, 3, &reason), CODE_PREFETCH_UNKNOWN);
    assert_int_equal(reason, REASON_NO_CONTRAST);
    assert_int_equal(effect(8, 8, 0, 8, &reason), CODE_PREFETCH_BRINGS);
    assert_int_equal(effect(0, 0, 0, (double)NAN, &reason), CODE_PREFETCH_UNKNOWN);
    assert_int_equal(reason, REASON_NO_CONTRAST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_part_of_a_miss_decides),
                                       cmocka_unit_test(what_does_not_repeat_or_hardly_misses_is_unknown)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
