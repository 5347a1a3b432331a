/* How parked cores wait, by the time that one took to wake (boot/uefi/parked.c). */
/* link: boot/uefi/parked.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "boot/uefi/parked.h"

static void nothing_is_said_before_one_has_woken(void **state)
{
    (void)state;
    assert_non_null(strstr(parked_text(0), "known once one is started"));
    assert_null(strstr(parked_text(0), "arrived"));
}

/* INIT takes 10 ms; a store that the core waits for takes microseconds, on a slow emulator a millisecond. */
static void a_core_that_takes_an_init_to_wake_was_halted(void **state)
{
    (void)state;
    assert_non_null(strstr(parked_text(10.3), "halted: one arrived 10.300 ms after"));
    assert_non_null(strstr(parked_text(0.004), "in MWAIT or awake in a loop: one arrived 0.004 ms after"));
    assert_non_null(strstr(parked_text(1), "in MWAIT or awake in a loop: one arrived 1.000 ms after"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_said_before_one_has_woken),
        cmocka_unit_test(a_core_that_takes_an_init_to_wake_was_halted),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
