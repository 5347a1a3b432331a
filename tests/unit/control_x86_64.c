/* The clock of x86-64 cores and what is recorded of them, on modelled register files. */
/* link: arch/control.c arch/access.c arch/x86_64/cpu.c arch/x86_64/prefetch.c arch/x86_64/frequency.c */
/* link: arch/x86_64/control.c arch/x86_64/quirks.c arch/x86_64/identify.c tests/registers/model.c */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/control_x86_64.h"

/* ---- The clock --------------------------------------------------------------------------------------------- */

/* Skylake, 8 to 42 times 100 MHz, 34 without turbo; SpeedStep in force, HWP not. */
static void perf_ctl(void)
{
    processor('I', 0x506e3, 0);
    model_cpuid(&m, 6, 0, 1 << 1, 0, 0, 0);
    model_register(&m, "MISC_ENABLE", 0x1a0, 0x850089, 0)->allowed = 0;
    model_register(&m, "PLATFORM_INFO", 0xce, 0x80000002200, 0)->kind = MODEL_READ_ONLY;
    model_register(&m, "TURBO_RATIO_LIMIT", 0x1ad, 0x2728292a, 0)->kind = MODEL_READ_ONLY;
    model_register(&m, "PERF_CTL", 0x199, 0x2a00, 0x10000ff00)->reserved = ~UINT64_C(0x10000ffff);
}

static void pins_ratios(void **state)
{
    (void)state;
    perf_ctl();
    start();
    assert_string_equal(c.clock.way, "IA32_PERF_CTL");
    assert_int_equal(c.clock.lowest, 8);
    assert_int_equal(c.clock.base, 34);
    assert_int_equal(c.clock.highest, 42);
    assert_true(c.clock.turbo);
    assert_null(control_frequency(&c, "fixed", why, sizeof why));
    assert_int_equal(model_at(&m, 0x199)->value, 0x100002200);
    assert_null(control_frequency(&c, "12", why, sizeof why));
    assert_int_equal(model_at(&m, 0x199)->value, 0x100000c00);
    assert_null(control_frequency(&c, "highest", why, sizeof why));
    assert_int_equal(model_at(&m, 0x199)->value, 0x2a00);
    assert_null(control_frequency(&c, "40", why, sizeof why));
    assert_int_equal(model_at(&m, 0x199)->value, 0x2800);
    assert_true(control_finish(&c));
    model_assert_as_found(&m);
}

static void refuses_impossible_ratios(void **state)
{
    (void)state;
    perf_ctl();
    start();
    assert_string_equal(control_frequency(&c, "99", why, sizeof why),
                        "99: this core has no such ratio; with IA32_PERF_CTL it has 8 to 42, in steps of 100 MHz");
    assert_string_equal(control_frequency(&c, "7", why, sizeof why),
                        "7: this core has no such ratio; with IA32_PERF_CTL it has 8 to 42, in steps of 100 MHz");
    assert_string_equal(control_frequency(&c, "fast", why, sizeof why),
                        "fast: is neither as-found, nor fixed, nor highest, nor a ratio");
    assert_non_null(control_frequency(&c, "0", why, sizeof why));
    assert_non_null(control_frequency(&c, "42949673", why, sizeof why));
    assert_null(control_frequency(&c, "as-found", why, sizeof why));
    model_assert_writes(&m, "");
}

/* Turbo that firmware forbids stays forbidden, and its bit, which is not there then, is left alone. */
static void leaves_turbo_forbidden(void **state)
{
    (void)state;
    perf_ctl();
    model_cpuid(&m, 6, 0, 0, 0, 0, 0);
    model_at(&m, 0x1a0)->value |= UINT64_C(1) << 38;
    model_at(&m, 0x199)->reserved = ~UINT64_C(0xffff);
    start();
    assert_int_equal(c.clock.highest, 34);
    assert_null(control_frequency(&c, "highest", why, sizeof why));
    assert_int_equal(model_at(&m, 0x199)->value, 0x2200);
    assert_true(control_finish(&c));
    model_assert_as_found(&m);
}

/* Where IA32_PERF_CTL takes a voltage too, it is not written at all: neither for a ratio nor for a word. */
static void refuses_a_ratio_without_its_voltage(void **state)
{
    static const uint32_t signatures[] = {0x006f6, 0x10661, 0x10676, 0x106d1, 0x30678, 0x406a8, 0x406d8, 0x406c4};
    static const char *const settings[] = {"fixed", "highest", "12"};

    (void)state;
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++) {
        perf_ctl();
        model_cpuid(&m, 1, 0, signatures[i], 0, 1 << 7, 1 << 14 | 1 << 22);
        start();
        assert_null(c.clock.way);
        for (size_t j = 0; j < sizeof settings / sizeof settings[0]; j++)
            assert_non_null(strstr(control_frequency(&c, settings[j], why, sizeof why), "takes a voltage"));
        assert_null(control_frequency(&c, "as-found", why, sizeof why));
        model_assert_writes(&m, "");
    }
    perf_ctl();
    model_cpuid(&m, 1, 0, 0x506c9, 0, 1 << 7, 1 << 14 | 1 << 22); /* Goldmont takes a ratio alone */
    start();
    assert_string_equal(c.clock.way, "IA32_PERF_CTL");
}

static void says_why_the_clock_is_not_ours(void **state)
{
    (void)state;
    perf_ctl();
    model_at(&m, 0x1a0)->value &= ~UINT64_C(0x10000);
    start();
    assert_string_equal(control_frequency(&c, "fixed", why, sizeof why),
                        "fixed: Enhanced SpeedStep is off (IA32_MISC_ENABLE[16])");
    processor('I', 0x506e3, 0);
    model_cpuid(&m, 1, 0, 0x506e3, 0, 1u << 31 | 1 << 7, 0);
    start();
    assert_string_equal(control_frequency(&c, "fixed", why, sizeof why), "fixed: the clock is the hypervisor's");
    model_assert_writes(&m, "");
}

/* HWP in force: 4 to 48, 30 guaranteed; the request comes from the package's. */
static void pins_hardware_p_states(void **state)
{
    (void)state;
    processor('I', 0x806f8, 0);
    model_cpuid(&m, 6, 0, 1 << 1 | 1 << 7 | 1 << 10 | 1 << 11, 0, 0, 0);
    model_register(&m, "PM_ENABLE", 0x770, 1, 0)->allowed = 0;
    model_register(&m, "HWP_CAPABILITIES", 0x771, 0x04081e30, 0)->kind = MODEL_READ_ONLY;
    model_register(&m, "HWP_REQUEST", 0x774, 0x40080003004 | UINT64_C(5) << 32, UINT64_MAX)->allowed = 0x400ffffffff;
    start();
    assert_string_equal(c.clock.way, "HWP");
    assert_null(control_frequency(&c, "fixed", why, sizeof why));
    assert_int_equal(model_at(&m, 0x774)->value, 0x5001e1e1e);
    assert_null(control_frequency(&c, "highest", why, sizeof why));
    assert_int_equal(model_at(&m, 0x774)->value, 0x500303030);
    assert_string_equal(control_frequency(&c, "49", why, sizeof why),
                        "49: this core has no such ratio; with HWP it has 4 to 48, in steps of 100 MHz");
    assert_true(control_finish(&c));
    model_assert_as_found(&m);
}

/* HWP that is announced and off stays off: it could not be switched off again. */
static void does_not_switch_hwp_on(void **state)
{
    (void)state;
    perf_ctl();
    model_cpuid(&m, 6, 0, 1 << 1 | 1 << 7, 0, 0, 0);
    model_register(&m, "PM_ENABLE", 0x770, 0, 1)->allowed = 0;
    start();
    assert_string_equal(c.clock.way, "IA32_PERF_CTL");
    assert_null(control_frequency(&c, "fixed", why, sizeof why));
    assert_true(control_finish(&c));
    model_assert_as_found(&m);
}

/* Zen 2: P-states of 3400, 2800 and 1500 MHz. */
static void p_states(void)
{
    processor('A', 0x870f10, 0);
    model_cpuid(&m, 0x80000000, 0, 0x80000020, 0, 0, 0);
    model_cpuid(&m, 0x80000007, 0, 0, 0, 0, 1 << 9 | 1 << 7);
    model_register(&m, "LIMIT", 0xc0010061, 0x20, 0)->kind = MODEL_READ_ONLY;
    model_register(&m, "CONTROL", 0xc0010062, 1, 7);
    model_register(&m, "HWCR", 0xc0010015, 0x40000011, UINT64_MAX)->allowed = 1 << 25;
    model_register(&m, "PSTATE0", 0xc0010064, 0x8000000000000888, 0)->kind = MODEL_READ_ONLY; /* 0x88 * 200 / 8 */
    model_register(&m, "PSTATE1", 0xc0010065, 0x8000000000000a8c, 0)->kind = MODEL_READ_ONLY; /* 0x8c * 200 / 10 */
    model_register(&m, "PSTATE2", 0xc0010066, 0x8000000000000c5a, 0)->kind = MODEL_READ_ONLY; /* 0x5a * 200 / 12 */
}

static void chooses_p_states(void **state)
{
    (void)state;
    p_states();
    start();
    assert_string_equal(c.clock.way, "AMD P-states");
    assert_true(c.clock.turbo);
    assert_true(fabs(c.clock.state_hz[0] - 3400e6) <= 1);
    assert_true(fabs(c.clock.state_hz[1] - 2800e6) <= 1);
    assert_true(fabs(c.clock.state_hz[2] - 1500e6) <= 1);
    assert_null(control_frequency(&c, "fixed", why, sizeof why));
    assert_int_equal(model_at(&m, 0xc0010015)->value, 0x42000011);
    assert_int_equal(model_at(&m, 0xc0010062)->value, 0);
    assert_true(control_finish(&c));
    model_assert_as_found(&m);
    assert_null(control_frequency(&c, "highest", why, sizeof why)); /* boost stays as it is */
    assert_int_equal(model_at(&m, 0xc0010015)->value, 0x40000011);
    assert_int_equal(model_at(&m, 0xc0010062)->value, 0);
    assert_true(control_finish(&c));
    assert_null(control_frequency(&c, "1500", why, sizeof why));
    assert_int_equal(model_at(&m, 0xc0010062)->value, 2);
    assert_true(control_finish(&c));
    model_assert_as_found(&m);
    assert_string_equal(control_frequency(&c, "3000", why, sizeof why),
                        "3000: no P-state of this core has that clock in MHz");
    model_assert_as_found(&m);
}

/* The second of two changes fails: the first is put back. */
static void leaves_no_clock_half_set(void **state)
{
    (void)state;
    p_states();
    model_at(&m, 0xc0010062)->write_faults = true;
    start();
    assert_string_equal(control_frequency(&c, "fixed", why, sizeof why),
                        "fixed: PStateControl (0xc0010062) cannot be written");
    assert_int_equal(c.changes.count, 0);
    model_assert_as_found(&m);
}

/* Zen 4 with CPPC in force: 22 to 196, 148 nominal. */
static void pins_cppc(void **state)
{
    (void)state;
    processor('A', 0xa10f11, 0);
    model_cpuid(&m, 0x80000000, 0, 0x80000021, 0, 0, 0);
    model_cpuid(&m, 0x80000007, 0, 0, 0, 0, 1 << 9 | 1 << 7);
    model_cpuid(&m, 0x80000008, 0, 0, 1 << 27, 0, 0);
    model_register(&m, "CPPC_ENABLE", 0xc00102b1, 1, 0)->allowed = 0;
    model_register(&m, "CPPC_CAP1", 0xc00102b0, 0xc4943916, 0)->kind = MODEL_READ_ONLY;
    model_register(&m, "CPPC_REQ", 0xc00102b3, 0xff8016c4, 0xffffffff);
    start();
    assert_string_equal(c.clock.way, "AMD CPPC");
    assert_null(control_frequency(&c, "fixed", why, sizeof why));
    assert_int_equal(model_at(&m, 0xc00102b3)->value, 0x949494);
    assert_true(control_finish(&c));
    model_assert_as_found(&m);
}

/* ---- What is recorded ---------------------------------------------------------------------------------------- */

/* Intel's register wants a 0 first and has the revision in its upper half, AMD's has it in the lower one. */
static void records_microcode(void **state)
{
    uint32_t revision = 0;

    (void)state;
    processor('I', 0x806f8, 0);
    model_register(&m, "BIOS_SIGN_ID", 0x8b, 0x2b000603ull << 32 | 5, ~0ull)->kind = MODEL_IGNORES;
    model_begin(&m);
    assert_true(control_microcode(&a, &revision));
    assert_int_equal(revision, 0x2b000603);
    model_assert_writes(&m, "w BIOS_SIGN_ID 0\n");

    processor('A', 0xa20f10, 0);
    model_register(&m, "PATCH_LEVEL", 0x8b, 0xa201025, 0)->kind = MODEL_READ_ONLY;
    model_begin(&m);
    assert_true(control_microcode(&a, &revision));
    assert_int_equal(revision, 0xa201025);
    model_assert_writes(&m, "");

    processor('I', 0x806f8, 0); /* a hypervisor that has no such register */
    model_begin(&m);
    assert_false(control_microcode(&a, &revision));
}

static void records_speculation(void **state)
{
    struct control_value v[8];

    (void)state;
    processor('I', 0x806f8, 0);
    model_cpuid(&m, 7, 0, 0, 0, 0, 1 << 26 | 1 << 29);
    model_register(&m, "SPEC_CTRL", 0x48, 0x401, 0)->allowed = 0;
    model_register(&m, "ARCH_CAPABILITIES", 0x10a, 1 << 12 | 1 << 7, 0)->kind = MODEL_READ_ONLY;
    model_register(&m, "UARCH_MISC_CTL", 0x1b01, 1, 0)->allowed = 0; /* TSX_CTRL is announced and faults */
    model_begin(&m);
    assert_int_equal(control_speculation(&a, v, 8), 4);
    assert_string_equal(v[0].name, "IA32_SPEC_CTRL");
    assert_int_equal(v[0].value, 0x401);
    assert_string_equal(v[2].name, "IA32_TSX_CTRL");
    assert_false(v[2].readable);
    assert_true(v[3].readable && v[3].value == 1);
    assert_int_equal(control_speculation(&a, v, 2), 2);
    model_assert_writes(&m, "");
}

static void notices_disturbances(void **state)
{
    struct disturbance before, after;
    uint64_t checks;

    (void)state;
    processor('I', 0x806f8, 0);
    model_register(&m, "SMI_COUNT", 0x34, 7, 0);
    model_register(&m, "THERM_STATUS", 0x19c, 0x88340000, 0);
    model_register(&m, "MCG_CAP", 0x179, 2, 0);
    model_register(&m, "MC0_STATUS", 0x401, 0, 0);
    model_register(&m, "MC1_STATUS", 0x405, 0, 0);
    model_begin(&m);
    control_disturbance(&a, &before);
    assert_int_equal(before.count, 3);
    assert_true(control_machine_checks(&a, &checks) && checks == 0);
    for (unsigned bit = 0; bit < 32; bit++) { /* heat; the thresholds; power, current, others; the temperature */
        model_at(&m, 0x19c)->value = 0x88340000 ^ 1u << bit;
        control_disturbance(&a, &after);
        assert_int_equal(before.value[1] != after.value[1], bit < 6);
        assert_int_equal(before.value[2] != after.value[2], bit >= 10 && bit < 16);
    }
    model_at(&m, 0x34)->value++;
    model_at(&m, 0x405)->value = UINT64_C(1) << 63;
    control_disturbance(&a, &after);
    assert_int_equal(after.value[0] - before.value[0], 1);
    assert_true(!strcmp(after.name[0], "smi") && !strcmp(after.name[1], "heat") && !strcmp(after.name[2], "limits"));
    assert_true(control_machine_checks(&a, &checks) && checks == 1);
    model_assert_writes(&m, "");

    processor('A', 0xa10f11, 0); /* nothing of it can be read */
    control_disturbance(&a, &after);
    assert_int_equal(after.count, 0);
    assert_false(control_machine_checks(&a, &checks));
}

static void reports_quirks(void **state)
{
    const struct quirk *q[32];

    (void)state;
    processor('I', 0x106a5, 0);
    assert_int_equal(control_quirks(&a, q, 32), 1);
    assert_string_equal(q[0]->name, "counter-warm-up");
    processor('I', 0x206c2, 0); /* Westmere */
    assert_int_equal(control_quirks(&a, q, 32), 1);
    assert_string_equal(q[0]->name, "counter-warm-up");
    processor('A', 0x830f10, 0);
    size_t count = control_quirks(&a, q, 32);
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found |= !strcmp(q[i]->name, "non-branch-prediction");
    assert_true(found);
    processor('A', 0xb40f40, 0); /* Zen 5: LFENCE needs no switch any more */
    count = control_quirks(&a, q, 32);
    for (size_t i = 0; i < count; i++)
        assert_string_not_equal(q[i]->name, "lfence-by-switch");
    processor('I', 0x90672, 0x40000001);
    count = control_quirks(&a, q, 32);
    found = false;
    for (size_t i = 0; i < count; i++)
        found |= !strcmp(q[i]->name, "counters-understated");
    assert_true(found);
    assert_int_equal(control_quirks(&a, q, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_ratios),
        cmocka_unit_test(refuses_impossible_ratios),
        cmocka_unit_test(leaves_turbo_forbidden),
        cmocka_unit_test(refuses_a_ratio_without_its_voltage),
        cmocka_unit_test(says_why_the_clock_is_not_ours),
        cmocka_unit_test(pins_hardware_p_states),
        cmocka_unit_test(does_not_switch_hwp_on),
        cmocka_unit_test(chooses_p_states),
        cmocka_unit_test(leaves_no_clock_half_set),
        cmocka_unit_test(pins_cppc),
        cmocka_unit_test(records_microcode),
        cmocka_unit_test(records_speculation),
        cmocka_unit_test(notices_disturbances),
        cmocka_unit_test(reports_quirks),
    };

    return cmocka_run_group_tests_name("control x86_64", tests, NULL, NULL);
}
