/* CLIDR_EL1, CCSIDR_EL1 and CTR_EL0, as cores have them. */
/* link: arch/aarch64/caches.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/caches.h"

static uint64_t values[16];
static unsigned asked;

static uint64_t ccsidr(uint64_t selector)
{
    assert_true(selector < 16);
    asked++;
    return values[selector];
}

/* Neoverse N1: 64 KiB of four ways each at the first level, 1 MiB of eight at the second; the narrow format. */
static void narrow_format(void **state)
{
    struct identity_cache c[16];

    (void)state;
    values[0] = values[1] = (uint64_t)255 << 13 | 3 << 3 | 2;
    values[2] = (uint64_t)2047 << 13 | 7 << 3 | 2;
    assert_int_equal(caches_from(04 << 3 | 03, false, ccsidr, c, 16), 3);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(c[i].level, 1);
        assert_int_equal(c[i].holds, i ? HOLDS_INSTRUCTIONS : HOLDS_DATA);
        assert_int_equal(c[i].bytes, 65536);
        assert_int_equal(c[i].ways, 4);
        assert_int_equal(c[i].line_bytes, 64);
        assert_string_equal(c[i].source, "ccsidr_el1");
    }
    assert_int_equal(c[2].level, 2);
    assert_int_equal(c[2].holds, HOLDS_DATA | HOLDS_INSTRUCTIONS);
    assert_int_equal(c[2].bytes, 1 << 20);
    assert_int_equal(c[2].ways, 8);
}

/* FEAT_CCIDX moves the fields: a 96 MiB cache of twelve ways does not fit the other format. */
static void wide_format(void **state)
{
    struct identity_cache c[16];

    (void)state;
    values[0] = (uint64_t)131071 << 32 | 11 << 3 | 2;
    assert_int_equal(caches_from(04, true, ccsidr, c, 16), 1);
    assert_int_equal(c[0].bytes, 96 << 20);
    assert_int_equal(c[0].ways, 12);
    assert_int_equal(c[0].line_bytes, 64);
}

static void levels_end_at_the_first_empty_one(void **state)
{
    struct identity_cache c[16];

    (void)state;
    asked = 0;
    assert_int_equal(caches_from(0, false, ccsidr, c, 16), 0);
    assert_int_equal(caches_from(04 << 6 | 03, false, ccsidr, c, 16), 2);
    assert_int_equal(asked, 2); /* registers of what is not there are not touched */
    assert_int_equal(caches_from(07 << 3 | 01, false, ccsidr, c, 16), 1); /* 7 is reserved */
    assert_int_equal(caches_from(03333333, false, ccsidr, c, 16), 14);    /* the bits above are not Ctype */
    assert_int_equal(caches_from(~UINT64_C(0) << 21 | 04, false, ccsidr, c, 16), 1);
    assert_int_equal(caches_from(03333333, false, ccsidr, c, 3), 3);
}

static void lines_of_the_first_level(void **state)
{
    struct identity_cache c[2];

    (void)state;
    assert_int_equal(lines_from(0x8444c004, c, 2), 2); /* 64 bytes both, Cortex-A76's value */
    assert_int_equal(c[0].holds, HOLDS_DATA);
    assert_int_equal(c[0].line_bytes, 64);
    assert_int_equal(c[1].line_bytes, 64);
    assert_int_equal(c[0].bytes, 0);
    assert_int_equal(lines_from(0x00050003, c, 2), 2);
    assert_int_equal(c[0].line_bytes, 128);
    assert_int_equal(c[1].line_bytes, 32);
    assert_int_equal(lines_from(0, c, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_format),
        cmocka_unit_test(wide_format),
        cmocka_unit_test(levels_end_at_the_first_empty_one),
        cmocka_unit_test(lines_of_the_first_level),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
