/* Cores by MIDR_EL1: what the table says, and that it says one thing about each. */
/* link: arch/aarch64/cores.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/cores.h"

/* Values as real machines and QEMU report them, revision and variant included. */
static void names_known_cores(void **state)
{
    const struct {
        uint64_t midr;
        const char *name, *implementer;
    } cases[] = {
        {0x410fd034, "cortex-a53", "Arm"},  /* Raspberry Pi 3 */
        {0x410fd083, "cortex-a72", "Arm"},  /* Raspberry Pi 4 */
        {0x414fd0b1, "cortex-a76", "Arm"},  /* Raspberry Pi 5 */
        {0x413fd0c1, "neoverse-n1", "Arm"}, /* Graviton 2, Altra */
        {0x411fd401, "neoverse-v1", "Arm"}, /* Graviton 3 */
        {0x410fd4f1, "neoverse-v2", "Arm"}, /* Graviton 4, Grace */
        {0x701f6633, "ftc663", "Phytium"},  /* FT-2000/4 */
        {0x700f3034, "ftc310", "Phytium"},  /* E2000Q, its small cores */
        {0x701f6643, "ftc664", "Phytium"},  /* E2000Q, its large cores */
        {0x700f8620, "ftc862", "Phytium"},  {0x611f0221, "icestorm", "Apple"},   {0x611f0231, "firestorm", "Apple"},
        {0x461f0010, "a64fx", "Fujitsu"},   {0x431f0af1, "thunderx2", "Cavium"}, {0xc00fac30, "ampere-1", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct core *core = core_find(cases[i].midr);

        assert_non_null(core);
        assert_string_equal(core->name, cases[i].name);
        if (cases[i].implementer)
            assert_string_equal(core_implementer(cases[i].midr), cases[i].implementer);
    }
}

/* The same part number of another implementer is another core, and no core at all is no guess. */
static void does_not_guess(void **state)
{
    (void)state;
    assert_null(core_find(0x410fdff0));
    assert_null(core_find(0x420fd0c1));
    assert_null(core_implementer(0x7f0f0000));
    assert_string_equal(core_find(0x460f0010)->name, "a64fx");
    assert_string_equal(core_find(0x510f0010)->name, "oryon");
}

/* QEMU's `max` is known as such, but names no core whose published values could be compared. */
static void knows_the_emulated_core(void **state)
{
    (void)state;
    assert_string_equal(core_find(0x000f0510)->name, "");
    assert_null(core_implementer(0x000f0510));
}

/* No number stands for two cores: a search over all of them finds each name where it should be and fits its field. */
static void names_fit(void **state)
{
    unsigned found = 0;

    (void)state;
    for (uint64_t implementer = 0; implementer < 256; implementer++) {
        for (uint64_t part = 0; part < 4096; part++) {
            const struct core *core = core_find(implementer << 24 | 0xf0000 | part << 4);

            if (!core)
                continue;
            found++;
            assert_int_equal(core->implementer, implementer);
            assert_int_equal(core->part, part);
            assert_true(strlen(core->name) < 32 && strlen(core->model) < 48);
        }
    }
    assert_int_equal(found, core_count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_known_cores),
        cmocka_unit_test(does_not_guess),
        cmocka_unit_test(knows_the_emulated_core),
        cmocka_unit_test(names_fit),
    };

    return cmocka_run_group_tests_name("arm_cores", tests, NULL, NULL);
}
