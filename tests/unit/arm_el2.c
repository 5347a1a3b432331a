/*
 * What EL2 sets up for the EL1 worker, in both layouts of its registers: with HCR_EL2.E2H, as Apple's
 * machines force it, and without. The other half of this, the running worker, is tested in QEMU.
 */
/* link: arch/aarch64/own/el2_controls.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/own/el1_registers.h"
#include "arch/aarch64/own/el2_controls.h"

#define BIT(n) (UINT64_C(1) << (n))

/* The _EL12 names by their encodings, each from its register's own page (Arm ARM DDI 0487, D19.2, D19.12). */
static const struct {
    const char *name;
    unsigned op0, op1, crn, crm, op2;
} el12[] = {
    {"SCTLR", 3, 5, 1, 0, 0}, {"CPACR", 3, 5, 1, 0, 2}, {"TTBR0", 3, 5, 2, 0, 0}, {"TTBR1", 3, 5, 2, 0, 1},
    {"TCR", 3, 5, 2, 0, 2},   {"SPSR", 3, 5, 4, 0, 0},  {"ELR", 3, 5, 4, 0, 1},   {"ESR", 3, 5, 5, 2, 0},
    {"FAR", 3, 5, 6, 0, 0},   {"MAIR", 3, 5, 10, 2, 0}, {"VBAR", 3, 5, 12, 0, 0}, {"CNTKCTL", 3, 5, 14, 1, 0},
    {"ZCR", 3, 5, 1, 2, 0},
};

static const struct {
    const char *name;
    unsigned crn, crm, op2;
} listed[] = {
#define LISTED(name, crn, crm, op2) {#name, crn, crm, op2},
    EL1_REGISTERS(LISTED)
#undef LISTED
};

static void el12_names_are_the_manuals(void **state)
{
    (void)state;
    assert_int_equal(sizeof listed / sizeof listed[0], sizeof el12 / sizeof el12[0]);
    assert_int_equal(EL1_REGISTER_COUNT, sizeof el12 / sizeof el12[0]);
    for (size_t i = 0; i < sizeof el12 / sizeof el12[0]; i++) {
        assert_string_equal(listed[i].name, el12[i].name);
        assert_int_equal(listed[i].crn, el12[i].crn);
        assert_int_equal(listed[i].crm, el12[i].crm);
        assert_int_equal(listed[i].op2, el12[i].op2);
    }
}

/* Whatever the firmware had, EL1 is AArch64 without stage 2, traps or TGE; E2H alone is the firmware's. */
static void routes_exceptions_to_el1(void **state)
{
    const uint64_t edk2 = UINT64_C(0x08000038); /* TGE, AMO, IMO, FMO */
    const uint64_t apple = HCR_E2H | BIT(27) | BIT(31);

    (void)state;
    assert_int_equal(hcr_worker(edk2, false), BIT(31) | BIT(40) | BIT(41));
    assert_int_equal(hcr_worker(apple, false), BIT(31) | BIT(34) | BIT(40) | BIT(41));
    assert_int_equal(hcr_worker(UINT64_MAX, false), BIT(31) | BIT(34) | BIT(40) | BIT(41));
    assert_int_equal(hcr_worker(edk2, true), BIT(31) | BIT(40) | BIT(41) | BIT(4) | BIT(3));
}

static void lets_el1_use_vectors_and_their_control(void **state)
{
    (void)state;
    assert_int_equal(cptr_worker(0x33ff | BIT(31)), 0x33ff);                       /* RES1 bits stay */
    assert_int_equal(cptr_worker(BIT(21) | BIT(20) | BIT(30)), BIT(21) | BIT(20)); /* E2H: FPEN stays */
}

static void lets_el1_use_its_timers(void **state)
{
    const uint64_t traps = BIT(13) | BIT(14) | BIT(15) | BIT(16) | BIT(18) | BIT(19);

    (void)state;
    assert_int_equal(cnthctl_worker(0, false), BIT(0) | BIT(1));
    assert_int_equal(cnthctl_worker(0, true), BIT(10) | BIT(11));
    assert_int_equal(cnthctl_worker(traps, false), BIT(0) | BIT(1));
    assert_int_equal(cnthctl_worker(BIT(12), true), BIT(12) | BIT(10) | BIT(11)); /* the physical offset stays on */
}

static void lets_el1_use_the_counters(void **state)
{
    const uint64_t traps = BIT(5) | BIT(6) | BIT(8) | BIT(9) | BIT(10) | BIT(11);

    (void)state;
    assert_int_equal(mdcr_worker(traps | 4, 6), 4); /* how many counters are EL1's is the firmware's choice */
    assert_int_equal(mdcr_worker(traps, 6), 6);     /* but not none */
    assert_int_equal(mdcr_worker(0, 0), 0);         /* unless there are none */
    assert_int_equal(mdcr_worker(BIT(26) | 6, 6), BIT(26) | 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(el12_names_are_the_manuals),
        cmocka_unit_test(routes_exceptions_to_el1),
        cmocka_unit_test(lets_el1_use_vectors_and_their_control),
        cmocka_unit_test(lets_el1_use_its_timers),
        cmocka_unit_test(lets_el1_use_the_counters),
    };

    return cmocka_run_group_tests_name("arm_el2", tests, NULL, NULL);
}
