/* Guards report nothing where memory is intact, notice each byte that is not, and may overlap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/guard.h"

static uint8_t memory[2 * GUARD_BYTES + 100];

static void intact_guards_report_nothing(void **state)
{
    (void)state;
    for (size_t bytes = 0; bytes < 100; bytes++) {
        guard_set(memory + bytes, bytes);
        assert_null(guard_broken(memory + bytes, bytes));
    }
}

static void each_changed_byte_is_noticed(void **state)
{
    (void)state;
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        guard_set(memory + 3, GUARD_BYTES);
        memory[3 + i] ^= 1;
        assert_ptr_equal(guard_broken(memory + 3, GUARD_BYTES), memory + 3 + i);
    }
}

/* What a stray memset, or a copy of adjacent memory, leaves is different from the pattern of a guard. */
static void frequently_written_values_are_noticed(void **state)
{
    (void)state;
    for (unsigned value = 0; value < 256; value++) {
        guard_set(memory, GUARD_BYTES);
        memset(memory + 64, (int)value, 8);
        assert_non_null(guard_broken(memory, GUARD_BYTES));
    }
    for (size_t distance = 1; distance <= GUARD_BYTES; distance++) {
        guard_set(memory, 2 * GUARD_BYTES);
        memmove(memory, memory + distance, 8);
        assert_non_null(guard_broken(memory, GUARD_BYTES));
    }
}

static void guards_may_overlap(void **state)
{
    (void)state;
    guard_set(memory, GUARD_BYTES);
    guard_set(memory + 101, GUARD_BYTES);
    guard_set(memory + 13, 1000);
    assert_null(guard_broken(memory, GUARD_BYTES));
    assert_null(guard_broken(memory + 101, GUARD_BYTES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intact_guards_report_nothing),
        cmocka_unit_test(each_changed_byte_is_noticed),
        cmocka_unit_test(frequently_written_values_are_noticed),
        cmocka_unit_test(guards_may_overlap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
