/* What a transfer takes (lib/structure/line_transfer.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/line_transfer.h"

static void transfers_are_differences(void **state)
{
    (void)state;
    assert_true(line_transfer_of(150, 100) == 50);
    assert_true(line_transfer_of(100.5, 100) == 0.5);
}

/* On either side of NO_TRANSFER_PART. */
static void what_takes_hardly_less_takes_nothing(void **state)
{
    (void)state;
    assert_true(line_transfer_of(98.5, 100) == 0);
    assert_true(isnan(line_transfer_of(97, 100)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(transfers_are_differences),
                                       cmocka_unit_test(what_takes_hardly_less_takes_nothing)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
