/* Apple's performance counters on modelled register files. */
/* link: arch/counters.c arch/access.c arch/aarch64/counters.c arch/aarch64/counters_pmuv3.c */
/* link: arch/aarch64/counters_apple.c tests/registers/model.c tests/registers/counters.c */
/* link: lib/counters/events.c lib/counters/events/arm.c lib/counters/events/apple.c build/events/aarch64.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/system_registers.h"
#include "tests/unit/counters_of_core.h"

/* ---- Apple: Linux, apple_m1_pmu.h and apple_m1_cpu_pmu.c ------------------------------------------ */

static struct apple {
    unsigned part;
    unsigned level, counted; /* that registers are accessed at, and code runs at */
} apple;

static const char *const apple_names[] = {"PMC0", "PMC1", "PMC2", "PMC3", "PMC4",
                                          "PMC5", "PMC6", "PMC7", "PMC8", "PMC9"};
static const uint32_t apple_ids[] = {ID_APPLE_PMC0, ID_APPLE_PMC1, ID_APPLE_PMC2, ID_APPLE_PMC3, ID_APPLE_PMC4,
                                     ID_APPLE_PMC5, ID_APPLE_PMC6, ID_APPLE_PMC7, ID_APPLE_PMC8, ID_APPLE_PMC9};

static unsigned apple_bits(void)
{
    return apple.part < 0x32 ? 48 : 64;
}

static unsigned field_bits(void)
{
    return apple.part < 0x42 ? 8 : 16;
}

static void build_apple(struct model *model)
{
    /* Counter, interrupt and mode bits, and others of the firmware's, which stay. */
    const uint64_t counters = ONES(8) | BIT(32) | BIT(33), interrupts = ONES(8) << 12 | BIT(44) | BIT(45);
    const uint64_t levels = ONES(16) << 8 | BIT(40) | BIT(41) | BIT(48) | BIT(49);

    model_register(model, "MIDR_EL1", ID_MIDR_EL1, UINT64_C(0x61) << 24 | apple.part << 4, 0)->kind = MODEL_READ_ONLY;
    model_register(model, "ID_AA64DFR0_EL1", ID_ID_AA64DFR0_EL1, 0xf << 8, 0)->kind = MODEL_READ_ONLY;
    model_register(model, "CurrentEL", ID_CurrentEL, apple.level << 2, 0)->kind = MODEL_READ_ONLY;
    model_register(model, "PMCR0", ID_APPLE_PMCR0, BIT(30) | BIT(22) | BIT(14) | BIT(19) | BIT(45), UINT64_MAX)
        ->allowed = counters | interrupts | 7 << 8;
    model_register(model, "PMCR1", ID_APPLE_PMCR1, BIT(24) | BIT(9), UINT64_MAX)->allowed = levels;
    if (apple.level == 2)
        model_register(model, "PMCR1_EL12", ID_APPLE_PMCR1_EL12, 0, UINT64_MAX)->allowed = levels;
    model_register(model, "PMESR0", ID_APPLE_PMESR0, 0x77777777, ONES(4 * field_bits()));
    model_register(model, "PMESR1", ID_APPLE_PMESR1, 0x55555555, ONES(4 * field_bits()));
    for (unsigned n = 0; n < 10; n++)
        model_register(model, apple_names[n], apple_ids[n], 1000 + n, ONES(apple_bits()));
}

static uint64_t bit_of(unsigned n, unsigned low, unsigned high)
{
    return n < 8 ? BIT(low + n) : BIT(high + n - 8);
}

/* Nothing counts while the interrupt mode is off: the careful reading of what is known. */
static void execute_apple(struct model *model, uint64_t instructions, uint64_t cycles)
{
    const uint64_t control = model_at(model, ID_APPLE_PMCR0)->value;
    /* Below a host at EL2, what EL1 counts is governed by the register for guests. */
    const uint64_t levels =
        model_at(model, apple.level == 2 && apple.counted == 1 ? ID_APPLE_PMCR1_EL12 : ID_APPLE_PMCR1)->value;

    if ((control >> 8 & 7) == 0)
        return;
    for (unsigned n = 0; n < 10; n++) {
        struct model_register *r = model_at(model, apple_ids[n]);
        uint64_t event = 0x10000 + n; /* fixed */

        if (!(control & bit_of(n, 0, 32)) || !(levels & bit_of(n, 16, 48)))
            continue;
        if (n >= 2)
            event = model_at(model, n < 6 ? ID_APPLE_PMESR0 : ID_APPLE_PMESR1)->value >> field_bits() * ((n - 2) % 4) &
                    ONES(field_bits());
        if (event == 0x10001)
            r->value += instructions;
        else if (event == 0x10000 || event == (apple.part < 0x52 ? 0x02 : 0x11))
            r->value += cycles;
        r->value &= ONES(apple_bits());
    }
}

static const struct counting_core apple_core = {build_apple, execute_apple};

static const struct apple apples[] = {
    {.part = 0x22, .level = 2, .counted = 1}, /* M1, icestorm, below U-Boot at EL2 */
    {.part = 0x23, .level = 2, .counted = 2}, /* firestorm */
    {.part = 0x23, .level = 1, .counted = 1}, /* a guest that may */
    {.part = 0x32, .level = 2, .counted = 1}, /* M2 */
    {.part = 0x49, .level = 2, .counted = 1}, /* M3 Max */
    {.part = 0x53, .level = 2, .counted = 1}, /* M4 */
};
enum { APPLES = sizeof apples / sizeof apples[0], M1 = 0, M2 = 3, M3 = 4, M4 = 5 };

static void be_apple(const struct apple *core)
{
    apple = *core;
    expect_counters(&apple_core, &m, &have);
    a = model_access(&m);
}

static void every_apple_counter_counts(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < APPLES; i++) {
        be_apple(&apples[i]);
        assert_int_equal(have.kind, COUNTERS_APPLE);
        assert_int_equal(have.slots, 0x3ff);
        assert_int_equal(have.taken, 0);
        assert_int_equal(have.bits, apple_bits());

        const char *verdict = prove_counters(&apple_core, &m, &have);

        if (verdict != NULL)
            fail_msg("core %zu: %s", i, verdict);
        model_assert_as_found(&m);
    }
}

static const struct counter_setting five[] = {
    {.slot = 1}, {.slot = 7, .code = 0x97}, {.slot = 2, .code = 0xf5}, {.slot = 9, .code = 0x02}, {.slot = 0}};

static void apple_is_put_back_whatever_faults(void **unused)
{
    const uint32_t dispensable[] = {ID_CurrentEL};

    (void)unused;
    for (size_t i = 0; i < APPLES; i++) {
        apple = apples[i];
        survive_every_fault(&apple_core, five, 5);
        find_despite_every_fault(&apple_core, dispensable, 1);
    }
}

static void apple_writes_in_order(void **unused)
{
    (void)unused;
    be_apple(&apples[M1]);
    assert_null(counters_program(&a, &have, five, 5, &state));
    assert_true(counters_go(&a, &have, &state));
    assert_true(counters_stop(&a, &have, &state));
    model_assert_writes(&m, "w PMCR0 40400400\n"
                            "w PMC1 0\n"
                            "w PMC7 0\n"
                            "w PMC2 0\n"
                            "w PMC9 0\n"
                            "w PMC0 0\n"
                            "w PMESR0 777777f5\n"
                            "w PMESR1 2559755\n"
                            "w PMCR1 2020001878700\n"
                            "w PMCR1_EL12 2020000878700\n"
                            "w PMCR0 240400487\n"
                            "w PMCR0 40400400\n");
    assert_true(counters_restore(&a, &have, &state));
    model_assert_as_found(&m);
}

/* From M3 on selectors are 16 bits wide; before, an event above FFH cannot be distinguished from another. */
static void selectors_are_as_wide_as_the_core_has_them(void **unused)
{
    const struct counter_setting wide[] = {{.slot = 6, .code = 0x5a1}, {.slot = 5, .code = 0x4006}};

    (void)unused;
    be_apple(&apples[M3]);
    assert_null(counters_program(&a, &have, wide, 2, &state));
    assert_int_equal(model_at(&m, ID_APPLE_PMESR1)->value, 0x555505a1);
    assert_int_equal(model_at(&m, ID_APPLE_PMESR0)->value, UINT64_C(0x4006000077777777));
    assert_true(counters_restore(&a, &have, &state));
    model_assert_as_found(&m);
    be_apple(&apples[M1]);
    assert_string_equal(refused(wide, 1), "an event number is wider than the selectors of this core");
}

static void leaves_apple_counters_in_use_alone(void **unused)
{
    (void)unused;
    be_apple(&apples[M1]);
    model_at(&m, ID_APPLE_PMCR0)->value = 1 | 1 << 8 | 1 << 12; /* the fixed counter of cycles, with its interrupt */
    model_at(&m, ID_APPLE_PMCR1_EL12)->value = BIT(16);
    model_begin(&m);
    counters_find(&a, &have);
    assert_int_equal(have.taken, BIT(0));
    assert_string_equal(refused(five, 5), "this counter was in use when it was found, and is left alone");
    assert_null(counters_program(&a, &have, five, 4, &state));
    assert_true(counters_go(&a, &have, &state));
    assert_int_equal(model_at(&m, ID_APPLE_PMCR0)->value & 7 << 8,
                     1 << 8); /* their interrupts come as they were set up */
    execute_apple(&m, 10, 10);
    assert_int_equal(model_at(&m, ID_APPLE_PMC1)->value, 10);
    assert_true(counters_restore(&a, &have, &state));
    assert_int_equal(model_at(&m, ID_APPLE_PMC0)->value, 1010);
    model_at(&m, ID_APPLE_PMC0)->found = 1010;
    model_assert_as_found(&m);
}

/* M4's registers may be locked, and a guest's are not there. */
static void an_apple_core_whose_registers_fault_is_reported(void **unused)
{
    (void)unused;
    memset(&m, 0, sizeof m);
    apple = apples[M4];
    build_apple(&m);
    model_at(&m, ID_APPLE_PMCR0)->read_faults = true;
    a = model_access(&m);
    counters_find(&a, &have);
    assert_string_equal(have.why_not, "PMCR0_EL1 (S3_1_C15_C0_0) of this Apple core cannot be read");
    assert_string_equal(counters_program(&a, &have, five, 1, &state), have.why_not);
    model_at(&m, ID_MIDR_EL1)->value = UINT64_C(0x61) << 24 | 0x11 << 4;
    counters_find(&a, &have);
    assert_string_equal(have.why_not, "the counters of Apple's cores before M1 are not known");
}

/* Read, but not written: the lock is reported with the register's name, and nothing is left changed. */
static void a_locked_register_is_named(void **unused)
{
    (void)unused;
    be_apple(&apples[M4]);
    model_at(&m, ID_APPLE_PMCR1)->write_faults = true;
    assert_string_equal(refused(five, 3), "PMCR1_EL1 (0xcf88) cannot be written");
}

/* ---- The events of every known core ------------------------------------------------------------- */

static void become_known(const char *name, const struct event_core *core)
{
    (void)core;
    be_apple(&apples[strncmp(name, "apple-m1", 8) == 0   ? M1
                     : strncmp(name, "apple-m2", 8) == 0 ? M2
                     : strncmp(name, "apple-m3", 8) == 0 ? M3
                                                         : M4]);
}

static void every_event_of_apples_cores_can_be_programmed(void **unused)
{
    (void)unused;
    every_known_event_can_be_programmed(COUNTERS_APPLE, become_known, 100, 0);
}

static void apple_lists_no_events(void **unused)
{
    (void)unused;
    have = (struct counters){.kind = COUNTERS_APPLE};
    assert_null(counters_lacks(&have, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_apple_counter_counts),
        cmocka_unit_test(apple_is_put_back_whatever_faults),
        cmocka_unit_test(apple_writes_in_order),
        cmocka_unit_test(selectors_are_as_wide_as_the_core_has_them),
        cmocka_unit_test(leaves_apple_counters_in_use_alone),
        cmocka_unit_test(an_apple_core_whose_registers_fault_is_reported),
        cmocka_unit_test(a_locked_register_is_named),
        cmocka_unit_test(every_event_of_apples_cores_can_be_programmed),
        cmocka_unit_test(apple_lists_no_events),
    };

    return cmocka_run_group_tests_name("counters_apple", tests, NULL, NULL);
}
