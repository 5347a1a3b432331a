/* Exceptions by their syndrome: the right name, and an address only where the core gives one. */
/* link: arch/aarch64/own/faults.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "arch/aarch64/own/faults.h"

/* Syndromes as a core and QEMU give them for what the fault tests do (ESR_ELx, Arm ARM D19.2). */
static void names_exceptions(void **state)
{
    const struct {
        uint64_t syndrome;
        const char *name;
        bool has_address;
    } cases[] = {
        {0x02000000, "undefined-instruction", false}, /* UDF */
        {0x62300000, "system-register", false},       /* MRS, trapped */
        {0x86000007, "instruction-abort", true},      /* unmapped */
        {0x8600000f, "instruction-abort", true},      /* execute-never */
        {0x8a000000, "pc-alignment", true},
        {0x96000007, "data-abort", true},  /* unmapped, same level */
        {0x92000046, "data-abort", true},  /* unmapped, lower level */
        {0x9600004f, "data-abort", true},  /* read-only */
        {0x96000410, "data-abort", false}, /* external abort with FnV: no address */
        {0x86000410, "instruction-abort", false},
        {0x9a000000, "sp-alignment", false},
        {0xbf000002, "serror", false},
        {0xf2000000, "breakpoint", false}, /* BRK */
        {0x56000001, "supervisor-call", false},
        {0x5a000001, "hypervisor-call", false},
        {0x1fe00000, "vector-trap", false}, /* floating point turned off */
        {0xfc000000, "exception", false},   /* a class no manual knows */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fault f = fault_describe(cases[i].syndrome, 0x1234, 0x5678);

        assert_string_equal(f.vector, cases[i].name);
        assert_int_equal(f.address, cases[i].has_address ? 0x1234 : 0);
        assert_int_equal(f.syndrome, cases[i].syndrome);
        assert_int_equal(f.pc, 0x5678);
    }
}

static void system_errors_have_no_address(void **state)
{
    struct fault f = fault_serror(0xbe000011, 0x5678);

    (void)state;
    assert_string_equal(f.vector, "serror");
    assert_int_equal(f.address, 0);
    assert_int_equal(f.pc, 0x5678);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_exceptions),
        cmocka_unit_test(system_errors_have_no_address),
    };

    return cmocka_run_group_tests_name("arm_faults", tests, NULL, NULL);
}
