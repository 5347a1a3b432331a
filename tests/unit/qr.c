/*
 * QR codes: sizes, patterns, and that the same bytes always give the same code; tests/scripts reads them with a
 * decoder.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/qr.h"

static struct qr code;

static void the_smallest_version_that_holds_the_bytes_is_taken(void **state)
{
    /* ISO/IEC 18004:2015, table 7: bytes at level L. */
    static const struct {
        unsigned version;
        size_t bytes;
    } most[] = {{1, 17},   {2, 32},   {6, 134},   {7, 154},   {9, 230},
                {10, 271}, {20, 858}, {27, 1465}, {32, 1952}, {40, 2953}};
    static uint8_t bytes[QR_BYTES_MAXIMUM + 1];

    (void)state;
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
        assert_true(qr_encode(&code, bytes, most[i].bytes));
        assert_int_equal(code.version, most[i].version);
        assert_int_equal(code.size, 17 + 4 * most[i].version);
        if (most[i].version < 40) {
            assert_true(qr_encode(&code, bytes, most[i].bytes + 1));
            assert_int_equal(code.version, most[i].version + 1);
        }
    }
    assert_false(qr_encode(&code, bytes, sizeof bytes));
}

/* Finder patterns at three corners, and light around each. */
static void the_corners_have_their_patterns(void **state)
{
    (void)state;
    assert_true(qr_encode(&code, "fathom", 6));
    const unsigned last = code.size - 1;
    for (unsigned i = 0; i < 7; i++) {
        assert_true(code.module[0][i] & QR_DARK);
        assert_true(code.module[i][last] & QR_DARK);
        assert_true(code.module[last][i] & QR_DARK);
        assert_false(code.module[7][i] & QR_DARK);
        assert_false(code.module[last - 7][i] & QR_DARK);
    }
    assert_false(code.module[1][1] & QR_DARK);
    assert_true(code.module[3][3] & QR_DARK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_version_that_holds_the_bytes_is_taken),
        cmocka_unit_test(the_corners_have_their_patterns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
