/* Prefetcher switches of AArch64 cores, those that may hang the machine above all, on modelled register files. */
/* link: arch/control.c arch/access.c arch/aarch64/prefetch.c arch/aarch64/control.c arch/aarch64/quirks.c */
/* link: arch/aarch64/cores.c arch/aarch64/counter_errata.c tests/registers/model.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/control.h"
#include "tests/registers/model.h"
#include "tests/unit/control_sources.h"

enum {
    MIDR_EL1 = SYSTEM_REGISTER(3, 0, 0, 0, 0),
    CPUECTLR_EL1 = SYSTEM_REGISTER(3, 0, 15, 1, 4),
    OLD_CPUACTLR_EL1 = SYSTEM_REGISTER(3, 1, 15, 2, 0),
    OLD_CPUECTLR_EL1 = SYSTEM_REGISTER(3, 1, 15, 2, 1),
    HID4_EL1 = SYSTEM_REGISTER(3, 0, 15, 4, 0),
    EHID4_EL1 = SYSTEM_REGISTER(3, 0, 15, 4, 1),
    HID11_EL1 = SYSTEM_REGISTER(3, 0, 15, 11, 0),
};

static struct model m;
static struct access a;
static struct control c;
static char why[512];

static void core(uint64_t midr)
{
    memset(&m, 0, sizeof m);
    model_register(&m, "MIDR_EL1", MIDR_EL1, midr, 0)->kind = MODEL_READ_ONLY;
    a = model_access(&m);
}

static void start(void)
{
    model_begin(&m);
    control_start(&c, &a);
    model_assert_writes(&m, "");
}

enum { EXPECTED = 2 };

/*
 * None of these models has its bits from elsewhere than the code, see `same`: no other text of these registers was to
 * be had. They show which bits are written on which core, and not that the bits are right. Values as found are those
 * after a reset, where the manuals name them.
 */
static const struct core_family {
    const char *name;
    uint64_t midr;
    bool hazard;
    const char *from; /* what the model was written from: the names of arch/aarch64/prefetch.c */
    bool same;        /* that is what the code cites */
    struct {
        uint32_t id;
        uint64_t found, mask, off;
    } expected[EXPECTED];
} families[] = {
    {"Cortex-A57",
     0x411fd073,
     true,
     "TF-A",
     true,
     {{OLD_CPUACTLR_EL1, 0x44, 1ull << 32, 1ull << 32},
      {OLD_CPUECTLR_EL1, 0x1b00000040, 1ull << 38 | 3ull << 35 | 3ull << 32, 1ull << 38}}},
    {"Cortex-A72",
     0x410fd083,
     true,
     "TF-A",
     true,
     {{OLD_CPUACTLR_EL1, 0x44, 1ull << 56 | 1ull << 32, 1ull << 56 | 1ull << 32},
      {OLD_CPUECTLR_EL1, 0x1b00000040, 1ull << 38 | 3ull << 35 | 3ull << 32, 1ull << 38}}},
    {"Cortex-A76", 0x414fd0b1, true, "MTK", true, {{CPUECTLR_EL1, 0x961563000, 0x80a0, 0x80a0}}},
    {"Cortex-A77", 0x411fd0d0, true, "TF-A", true, {{CPUECTLR_EL1, 0x961563000, 0x100, 0x100}}},
    {"Cortex-A78", 0x411fd411, true, "TF-A", true, {{CPUECTLR_EL1, 0, 0x100, 0x100}}},
    {"Cortex-X1", 0x411fd440, true, "TF-A", true, {{CPUECTLR_EL1, 0, 0x100, 0x100}}},
    {"Cortex-X4", 0x410fd821, true, "TF-A", true, {{CPUECTLR_EL1, 0, 0x8000, 0x8000}}},
    {"Neoverse N1", 0x413fd0c1, true, "Altra", true, {{CPUECTLR_EL1, 0x961563000, 0x81a0, 0x81a0}}},
    {"Neoverse N2", 0x410fd490, true, "N2", true, {{CPUECTLR_EL1, 0x961563000, 0x300, 0x300}}},
    {"Neoverse V1", 0x411fd401, true, "TF-A", true, {{CPUECTLR_EL1, 0, 0x100, 0x100}}},
    {"Cortex-A710", 0x411fd470, true, "TF-A", true, {{CPUECTLR_EL1, 0, 0x100, 0x100}}},
    {"M1 Firestorm", 0x611f0231, false, "m1n1", true, {{HID11_EL1, 0x7, 1 << 30, 1 << 30}, {HID4_EL1, 0x90, 4, 4}}},
    {"M2 Blizzard", 0x610f0320, false, "m1n1", true, {{EHID4_EL1, 0x80, 7, 7}}},
};

static void family(const struct core_family *f)
{
    core(f->midr);
    for (size_t i = 0; i < EXPECTED && f->expected[i].id; i++)
        model_register(&m, "R", f->expected[i].id, f->expected[i].found, UINT64_MAX)->allowed = f->expected[i].mask;
}

static void switches_off_what_each_core_has(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        const struct core_family *f = &families[i];
        family(f);
        start();
        c.risky = true;
        const char *wrong = control_prefetch(&c, "off", why, sizeof why);
        if (wrong)
            fail_msg("%s: %s", f->name, wrong);
        for (size_t j = 0; j < EXPECTED && f->expected[j].id; j++)
            assert_int_equal(model_at(&m, f->expected[j].id)->value & f->expected[j].mask, f->expected[j].off);
        assert_true(control_finish(&c));
        model_assert_as_found(&m);
    }
}

static void names_the_sources_of_each_core(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        family(&families[i]);
        start();
        assert_true(c.switch_count > 0);
        check_sources(&c, families[i].name);
        check_model_source(&c, families[i].name, families[i].from, families[i].same);
    }
}

static void puts_back_after_a_fault_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        family(&families[i]);
        start();
        c.risky = true;
        size_t started = m.accesses;
        assert_null(control_prefetch(&c, "off", why, sizeof why));
        size_t accesses = m.accesses;
        for (size_t at = started + 1; at <= accesses; at++) {
            family(&families[i]);
            start();
            c.risky = true;
            m.fault_at = at;
            assert_non_null(control_prefetch(&c, "off", why, sizeof why));
            m.fault_at = 0;
            assert_true(control_finish(&c));
            model_assert_as_found(&m);
        }
    }
}

/* The write that may not come back is not even tried without the key. */
static void writes_nothing_risky_unasked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        family(&families[i]);
        start();
        const char *wrong = control_prefetch(&c, "off", why, sizeof why);
        if (families[i].hazard) {
            assert_non_null(strstr(wrong, "risky = prefetch"));
            model_assert_writes(&m, "");
        } else {
            assert_null(wrong);
        }
        assert_true(control_finish(&c));
        model_assert_as_found(&m);
    }
}

static void knows_no_switches_of_unknown_cores(void **state)
{
    (void)state;
    core(0x410fd462); /* Cortex-A510 */
    start();
    assert_string_equal(control_prefetch(&c, "off", why, sizeof why),
                        "off: no prefetcher switch is known for this core");
    memset(&m, 0, sizeof m); /* not even MIDR_EL1 */
    start();
    assert_int_equal(c.switch_count, 0);
}

/* On these, switching all data prefetchers off may deadlock the core: it is not offered, even to who takes risks. */
static void does_not_offer_what_may_deadlock(void **state)
{
    static const uint64_t midrs[] = {0x410fd490, 0x411fd470, 0x411fd480, 0x410fd4f1, 0x411fd4e1};

    (void)state;
    for (size_t i = 0; i < sizeof midrs / sizeof midrs[0]; i++) {
        core(midrs[i]);
        model_register(&m, "R", CPUECTLR_EL1, 0, UINT64_MAX);
        start();
        c.risky = true;
        control_prefetch(&c, "off", why, sizeof why);
        assert_int_equal(model_at(&m, CPUECTLR_EL1)->value >> 15 & 1, 0);
        assert_true(control_finish(&c));
    }
    core(0x410fd4f1); /* Neoverse V2 has no other */
    start();
    assert_string_equal(control_prefetch(&c, "off", why, sizeof why),
                        "off: the one prefetcher switch that is known for this core may deadlock it");
}

static void only_reports_the_clock(void **state)
{
    (void)state;
    core(0x413fd0c1);
    start();
    assert_string_equal(control_frequency(&c, "fixed", why, sizeof why),
                        "fixed: AArch64 has no register that sets the clock: it is only measured");
    assert_null(control_frequency(&c, "as-found", why, sizeof why));
}

/* SSBS and DIT are read only where they are announced: elsewhere they are undefined. */
static void records_speculation(void **state)
{
    struct control_value v[8];

    (void)state;
    core(0x413fd0c1);
    model_register(&m, "ID_AA64PFR0_EL1", SYSTEM_REGISTER(3, 0, 0, 4, 0), 0, 0);
    model_register(&m, "ID_AA64PFR1_EL1", SYSTEM_REGISTER(3, 0, 0, 4, 1), 0x20, 0);
    model_register(&m, "ID_AA64ISAR1_EL1", SYSTEM_REGISTER(3, 0, 0, 6, 1), 0, 0);
    model_register(&m, "SSBS", SYSTEM_REGISTER(3, 3, 4, 2, 6), 0x1000, 0)->allowed = 0;
    model_begin(&m);
    assert_int_equal(control_speculation(&a, v, 8), 4);
    assert_string_equal(v[0].name, "SSBS");
    assert_int_equal(v[0].value, 0x1000);
    model_assert_writes(&m, "");
    model_at(&m, SYSTEM_REGISTER(3, 0, 0, 4, 1))->value = 0;
    assert_int_equal(control_speculation(&a, v, 8), 3);
}

static void reports_quirks(void **state)
{
    const struct quirk *q[8];

    (void)state;
    core(0x413fd0c1);
    assert_int_equal(control_quirks(&a, q, 8), 1);
    assert_string_equal(q[0]->name, "gated-switches");
    model_register(&m, "CurrentEL", SYSTEM_REGISTER(3, 0, 4, 2, 2), 2 << 2, 0);
    assert_int_equal(control_quirks(&a, q, 8), 2);
    core(0x410fd4f1);
    assert_int_equal(control_quirks(&a, q, 8), 1);
    assert_string_equal(q[0]->name, "prefetch-off-deadlocks");
    core(0x410fd092);
    assert_int_equal(control_quirks(&a, q, 8), 1);
    assert_string_equal(q[0]->name, "torn-time-stamp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_off_what_each_core_has),
        cmocka_unit_test(names_the_sources_of_each_core),
        cmocka_unit_test(puts_back_after_a_fault_anywhere),
        cmocka_unit_test(writes_nothing_risky_unasked),
        cmocka_unit_test(knows_no_switches_of_unknown_cores),
        cmocka_unit_test(does_not_offer_what_may_deadlock),
        cmocka_unit_test(only_reports_the_clock),
        cmocka_unit_test(records_speculation),
        cmocka_unit_test(reports_quirks),
    };

    return cmocka_run_group_tests_name("control aarch64", tests, NULL, NULL);
}
