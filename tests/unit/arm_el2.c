/*
 * What EL2 sets up for the EL1 worker, in both layouts of its registers: with HCR_EL2.E2H, as Apple's
 * machines force it, and without. The other half of this, the running worker, is tested in QEMU.
 */
/* link: arch/aarch64/own/el2_controls.c tests/registers/model.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/own/el1_registers.h"
#include "arch/aarch64/own/el2_controls.h"
#include "tests/registers/model.h"

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

/* ---- What only some cores have --------------------------------------------------------------------------------- */

/* From each register's own page (Arm ARM DDI 0487). */
enum {
    ID_AA64DFR0 = SYSTEM_REGISTER(3, 0, 0, 5, 0),
    ID_AA64DFR1 = SYSTEM_REGISTER(3, 0, 0, 5, 1),
    ID_AA64MMFR0 = SYSTEM_REGISTER(3, 0, 0, 7, 0),
    ID_AA64MMFR1 = SYSTEM_REGISTER(3, 0, 0, 7, 1),
    HCRX = SYSTEM_REGISTER(3, 4, 1, 2, 2),
    HFGRTR = SYSTEM_REGISTER(3, 4, 1, 1, 4),
    HDFGRTR2 = SYSTEM_REGISTER(3, 4, 3, 1, 0),
    PMCR = SYSTEM_REGISTER(3, 3, 9, 12, 0),
};

static struct model m;
static struct access a;

/* A core of Armv9.5 with all of it; everything reads, nothing may be written. */
static void newest_core(void)
{
    memset(&m, 0, sizeof m);
    model_register(&m, "ID_AA64DFR0_EL1", ID_AA64DFR0, 9 << 8, 0);
    model_register(&m, "ID_AA64DFR1_EL1", ID_AA64DFR1, UINT64_C(1) << 36, 0);
    model_register(&m, "ID_AA64MMFR0_EL1", ID_AA64MMFR0, UINT64_C(2) << 56, 0);
    model_register(&m, "ID_AA64MMFR1_EL1", ID_AA64MMFR1, UINT64_C(1) << 40, 0);
    model_register(&m, "HCRX_EL2", HCRX, BIT(14) | BIT(11), 0);
    model_register(&m, "HFGRTR_EL2", HFGRTR, 0, 0);
    model_register(&m, "HDFGRTR2_EL2", HDFGRTR2, 0, 0);
    model_register(&m, "PMCR_EL0", PMCR, 6 << 11, 0);
    a = model_access(&m);
}

static void finds_what_the_core_announces(void **state)
{
    (void)state;
    newest_core();
    struct el2_extensions e = el2_extensions(&a);
    assert_true(e.fine_traps && e.instruction_traps && e.hcrx);
    assert_int_equal(e.counters, 6);
    model_assert_writes(&m, "");

    model_at(&m, ID_AA64MMFR0)->value = UINT64_C(1) << 56; /* FEAT_FGT without FEAT_FGT2 */
    e = el2_extensions(&a);
    assert_true(e.fine_traps && !e.instruction_traps);
    newest_core();
    model_at(&m, ID_AA64DFR1)->value = 0; /* FEAT_FGT2 without the instruction counter */
    assert_false(el2_extensions(&a).instruction_traps);
}

/* What the core does not announce is not even read: it would be UNDEFINED, and EL3 may not return from it. */
static void reads_nothing_that_is_not_announced(void **state)
{
    (void)state;
    newest_core();
    model_at(&m, ID_AA64DFR0)->value = 0xf << 8; /* the implementer's own monitors */
    model_at(&m, ID_AA64DFR1)->value = 0;
    model_at(&m, ID_AA64MMFR0)->value = 0;
    model_at(&m, ID_AA64MMFR1)->value = 0;
    model_begin(&m);
    struct el2_extensions e = el2_extensions(&a);
    assert_true(!e.fine_traps && !e.instruction_traps && !e.hcrx);
    assert_int_equal(e.counters, 0);
    for (size_t i = 0; i < m.accesses; i++)
        assert_true(m.log[i].id != HCRX && m.log[i].id != HFGRTR && m.log[i].id != HDFGRTR2 && m.log[i].id != PMCR);
}

/* Announced, but kept by EL3: each is left alone by itself. */
static void leaves_alone_what_el3_keeps(void **state)
{
    static const uint32_t kept[] = {HCRX, HFGRTR, HDFGRTR2, PMCR};

    (void)state;
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        newest_core();
        model_at(&m, kept[i])->read_faults = true;
        const struct el2_extensions e = el2_extensions(&a);
        assert_int_equal(e.hcrx, kept[i] != HCRX);
        assert_int_equal(e.fine_traps, kept[i] != HFGRTR);
        assert_int_equal(e.instruction_traps, kept[i] != HDFGRTR2);
        assert_int_equal(e.counters, kept[i] == PMCR ? 0 : 6);
    }
}

static void lets_el1_count_instructions_and_nothing_new_change_it(void **state)
{
    const uint64_t tcr2_enabled = BIT(14), sctlr2_enabled = BIT(15), d128_enabled = BIT(17), tallint = BIT(6);

    (void)state;
    assert_int_equal(hdfgrtr2_worker(0), BIT(2)); /* nPMICNTR_EL0 */
    assert_int_equal(hdfgrtr2_worker(BIT(18) | BIT(3)), BIT(18) | BIT(3) | BIT(2));
    assert_false(hcrx_worker() & (tcr2_enabled | sctlr2_enabled | d128_enabled | tallint));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(el12_names_are_the_manuals),
        cmocka_unit_test(routes_exceptions_to_el1),
        cmocka_unit_test(lets_el1_use_vectors_and_their_control),
        cmocka_unit_test(lets_el1_use_its_timers),
        cmocka_unit_test(lets_el1_use_the_counters),
        cmocka_unit_test(finds_what_the_core_announces),
        cmocka_unit_test(reads_nothing_that_is_not_announced),
        cmocka_unit_test(leaves_alone_what_el3_keeps),
        cmocka_unit_test(lets_el1_count_instructions_and_nothing_new_change_it),
    };

    return cmocka_run_group_tests_name("arm_el2", tests, NULL, NULL);
}
