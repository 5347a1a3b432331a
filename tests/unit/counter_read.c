/* The reader's code for counters with errata, run in an emulator over lists of what such a counter reads. */
/* link: tests/unit/counter_read.S arch/aarch64/counter_errata.c */
/* libs: -lunicorn -lm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <unicorn/unicorn.h>

#include "arch/aarch64/counter_errata.h"

/* The Makefile makes them of counter_read.S. */
extern const uint8_t _binary_counter_read_start[], _binary_counter_read_end[];

#define CODE_AT UINT64_C(0x10000)
#define DATA_AT UINT64_C(0x20000)
#define EXIT_AT UINT64_C(0x30000)
enum { PAGE = 0x1000, READINGS = 300 };

/*
 * Runs it over the readings, the first of which the reader has read already. Returns what counts, and in *read how
 * many.
 */
static uint64_t read_counter(uint32_t erratum, const uint64_t readings[READINGS], size_t *read)
{
    uint64_t first = readings[0], kind = erratum, at = DATA_AT, back = EXIT_AT, result;
    uc_engine *uc;

    assert_int_equal(uc_open(UC_ARCH_ARM64, UC_MODE_ARM, &uc), UC_ERR_OK);
    uc_mem_map(uc, CODE_AT, PAGE, UC_PROT_ALL);
    uc_mem_map(uc, DATA_AT, PAGE, UC_PROT_READ);
    uc_mem_map(uc, EXIT_AT, PAGE, UC_PROT_ALL);
    uc_mem_write(uc, CODE_AT, _binary_counter_read_start,
                 (size_t)(_binary_counter_read_end - _binary_counter_read_start));
    uc_mem_write(uc, DATA_AT, readings + 1, (READINGS - 1) * sizeof readings[0]);
    uc_reg_write(uc, UC_ARM64_REG_X11, &first);
    uc_reg_write(uc, UC_ARM64_REG_X17, &kind);
    uc_reg_write(uc, UC_ARM64_REG_X0, &at);
    uc_reg_write(uc, UC_ARM64_REG_LR, &back);
    assert_int_equal(uc_emu_start(uc, CODE_AT, EXIT_AT, 0, 10000), UC_ERR_OK);
    uc_reg_read(uc, UC_ARM64_REG_X11, &result);
    uc_reg_read(uc, UC_ARM64_REG_X0, &at);
    uc_close(uc);
    *read = (at - DATA_AT) / sizeof readings[0] + 1;
    return result;
}

static void assert_read(uint32_t erratum, const uint64_t *readings, size_t count, uint64_t expected,
                        size_t expected_reads)
{
    uint64_t all[READINGS] = {0};
    size_t reads;

    memcpy(all, readings, count * sizeof readings[0]);
    assert_int_equal(read_counter(erratum, all, &reads), expected);
    assert_int_equal(reads, expected_reads);
}
#define ASSERT_READ(erratum, expected, reads, ...) \
    assert_read(erratum, (const uint64_t[]){__VA_ARGS__}, sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t), \
                expected, reads)

/* Freescale: right as soon as two in a row are equal, whatever was read before. */
static void equal_readings_count(void **state)
{
    (void)state;
    ASSERT_READ(COUNTER_EQUAL, 100, 2, 100, 100);
    ASSERT_READ(COUNTER_EQUAL, 102, 5, 100, 7, 101, 102, 102);
}

/* HiSilicon: the second of two counts when it is later by less than 32 ticks; an earlier one is wrong. */
static void near_readings_count(void **state)
{
    (void)state;
    ASSERT_READ(COUNTER_NEAR, 131, 2, 100, 131);
    ASSERT_READ(COUNTER_NEAR, 134, 3, 100, 132, 134);
    ASSERT_READ(COUNTER_NEAR, 103, 3, 100, 99, 103);
    ASSERT_READ(COUNTER_NEAR, UINT64_C(0x100000002), 2, UINT64_C(0xffffffff), UINT64_C(0x100000002));
}

/*
 * Allwinner: while its bit 10 changes, the lower bits are all 0 or all 1 in a reading that is wrong, and in one that is
 * not.
 */
static void readings_between_rolls_count(void **state)
{
    (void)state;
    ASSERT_READ(COUNTER_BETWEEN_ROLLS, 0x7fe, 1, 0x7fe);
    ASSERT_READ(COUNTER_BETWEEN_ROLLS, 0x801, 3, 0x7ff, 0x000, 0x801);
    ASSERT_READ(COUNTER_BETWEEN_ROLLS, 0x801, 4, 0x7ff, 0xfff, 0x800, 0x801);
    ASSERT_READ(COUNTER_BETWEEN_ROLLS, 0x301, 3, 0x200, 0x3ff, 0x301);
    ASSERT_READ(COUNTER_BETWEEN_ROLLS, 0x100, 1, 0x100); /* bit 8 alone is no roll */
}

/* A counter that never satisfies its rule must not hold the reader for ever. */
static void the_number_of_readings_is_limited(void **state)
{
    uint64_t readings[READINGS];
    size_t reads;

    (void)state;
    for (size_t i = 0; i < READINGS; i++)
        readings[i] = i * 100;
    assert_int_equal(read_counter(COUNTER_EQUAL, readings, &reads), COUNTER_READS * 100);
    assert_int_equal(reads, COUNTER_READS + 1);
    read_counter(COUNTER_NEAR, readings, &reads);
    assert_int_equal(reads, COUNTER_READS + 1);
    memset(readings, 0, sizeof readings);
    read_counter(COUNTER_BETWEEN_ROLLS, readings, &reads);
    assert_int_equal(reads, COUNTER_READS + 1);
}

/* Names as in Linux' bindings; OEM identifiers as in its driver, where blanks pad them. */
static void tables_name_errata(void **state)
{
    (void)state;
    assert_int_equal(counter_erratum_of_property("fsl,erratum-a008585"), COUNTER_EQUAL);
    assert_int_equal(counter_erratum_of_property("hisilicon,erratum-161010101"), COUNTER_NEAR);
    assert_int_equal(counter_erratum_of_property("allwinner,erratum-unknown1"), COUNTER_BETWEEN_ROLLS);
    assert_int_equal(counter_erratum_of_property("always-on"), COUNTER_SOUND);
    assert_int_equal(counter_erratum_of_oem("HISI  ", "HIP06   ", 0), COUNTER_NEAR);
    assert_int_equal(counter_erratum_of_oem("HISI  ", "HIP07   ", 1), COUNTER_SOUND);
    assert_int_equal(counter_erratum_of_oem("HISI  ", "HIP08   ", 0), COUNTER_SOUND);
    assert_int_equal(counter_erratum_of_oem("BOCHS ", "HIP07   ", 0), COUNTER_SOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_readings_count),         cmocka_unit_test(near_readings_count),
        cmocka_unit_test(readings_between_rolls_count), cmocka_unit_test(the_number_of_readings_is_limited),
        cmocka_unit_test(tables_name_errata),
    };

    return cmocka_run_group_tests_name("counter_read", tests, NULL, NULL);
}
