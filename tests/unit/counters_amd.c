/* AMD's performance counters on modelled register files, a generation each. */
/* link: arch/counters.c arch/access.c arch/x86_64/counters.c arch/x86_64/counters_intel.c arch/x86_64/counters_amd.c */
/* link: arch/x86_64/cpu.c arch/x86_64/identify.c tests/registers/model.c tests/registers/counters.c */
/* link: lib/counters/events.c lib/counters/events/intel.c lib/counters/events/intel_names.c lib/counters/events/amd.c build/events/x86_64.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/counters_x86_64.h"

/* ---- AMD: APM vol. 2, 13.2 ---------------------------------------------------------------------- */

static struct amd {
    unsigned family;
    bool extended, version_2;
    unsigned announced; /* CPUID.80000022H:EBX[3:0] */
    enum model_kind kind;
} amd;

static unsigned amd_count(void)
{
    return amd.version_2 ? amd.announced : amd.extended ? 6 : 4;
}

static uint32_t amd_selector(unsigned n)
{
    return amd.extended ? 0xc0010200 + 2 * n : 0xc0010000 + n;
}

static uint32_t amd_counter(unsigned n)
{
    return amd.extended ? 0xc0010201 + 2 * n : 0xc0010004 + n;
}

static void build_amd(struct model *model)
{
    const uint64_t all = ONES(amd_count()), frozen = BIT(59);
    const uint64_t selector_bits = ONES(42) & ~(BIT(19) | BIT(21) | BIT(36) | BIT(37) | BIT(38) | BIT(39));

    model_cpuid(model, 0, 0, 0x10, 0x68747541, 0x444d4163, 0x69746e65);
    model_cpuid(model, 1, 0, 0xf00 | (amd.family - 15) << 20, 0, 0, 0);
    model_cpuid(model, 0x80000001, 0, 0, 0, amd.extended ? 1 << 23 : 0, 0);
    if (amd.version_2)
        model_cpuid(model, 0x80000022, 0, 1, amd.announced | 4 << 4, 0, 0);
    for (unsigned n = 0; n < amd_count(); n++) {
        struct model_register *r = model_register(model, selector_names[n], amd_selector(n), 0, selector_bits);

        r->reserved = ~selector_bits;
        r->allowed = selector_bits & ~(BIT(20) | BIT(40) | BIT(41)); /* no interrupt, guests and hosts alike */
        r->kind = amd.kind;
        model_register(model, count_names[n], amd_counter(n), 0, ONES(48))->kind = amd.kind;
        model_at(model, amd_counter(n))->reserved = ~ONES(48);
    }
    if (!amd.version_2)
        return;
    model_register(model, "GLOBAL_CTL", 0xc0000301, 0, all)->reserved = ~all;
    model_register(model, "GLOBAL_STATUS", 0xc0000300, 0, all | frozen)->kind = MODEL_READ_ONLY;
    model_register(model, "STATUS_CLR", 0xc0000302, 0, all | frozen)->kind = MODEL_CLEARS;
    model_register(model, "STATUS_SET", 0xc0000303, 0, all | frozen)->kind = MODEL_SETS;
    model_at(model, 0xc0000302)->view_of = model_at(model, 0xc0000303)->view_of = 0xc0000300;
}

/* An even counter of floating-point operations counts only when the odd one behind it merges into it. */
static void execute_amd(struct model *model, uint64_t instructions, uint64_t cycles)
{
    const uint64_t control = amd.version_2 ? model_at(model, 0xc0000301)->value : UINT64_MAX;
    const uint64_t runs = BIT(22) | BIT(17);

    if (amd.version_2 && (model_at(model, 0xc0000300)->value & BIT(59)))
        return;
    for (unsigned n = 0; n < amd_count(); n++) {
        const uint64_t selector = model_at(model, amd_selector(n))->value;
        const uint64_t event = (selector & 0xff) | (selector >> 24 & 0xf00);

        if ((selector & runs) != runs || !(control & BIT(n)))
            continue;
        if (event == 0x003 && !(n % 2 == 0 && n + 1 < amd_count() && (control & BIT(n + 1)) &&
                                model_at(model, amd_selector(n + 1))->value == (UINT64_C(0xf000000ff) | BIT(22))))
            continue;
        if (event != 0xfff)
            add(model_at(model, amd_counter(n)),
                event == 0x003 ? 8 * instructions : of_event(selector, instructions, cycles), 48);
    }
}

static const struct counting_core amd_core = {build_amd, execute_amd};

static const struct amd k8 = {.family = 0xf};
static const struct amd bulldozer = {.family = 0x15, .extended = true};
static const struct amd zen1 = {.family = 0x17, .extended = true};
static const struct amd zen4 = {.family = 0x19, .extended = true, .version_2 = true, .announced = 6};
static const struct amd zen5 = {.family = 0x1a, .extended = true, .version_2 = true, .announced = 6};
static const struct amd *const amds[] = {&k8, &bulldozer, &zen1, &zen4, &zen5};
enum { AMDS = sizeof amds / sizeof amds[0] };

static void be_amd(const struct amd *generation)
{
    amd = *generation;
    expect_counters(&amd_core, &m, &have);
    a = model_access(&m);
}

static void finds_what_each_amd_has(void **unused)
{
    static const char *const names[] = {"AMD legacy performance counters", "AMD extended performance counters",
                                        "AMD extended performance counters", "AMD performance counters, version 2",
                                        "AMD performance counters, version 2"};

    (void)unused;
    for (size_t i = 0; i < AMDS; i++) {
        be_amd(amds[i]);
        assert_int_equal(have.kind, COUNTERS_AMD);
        assert_string_equal(have.name, names[i]);
        assert_int_equal(have.slots, i == 0 ? 0xf : 0x3f);
        assert_int_equal(have.bits, 48);
    }
}

static void every_amd_counter_counts(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < AMDS; i++) {
        be_amd(amds[i]);
        assert_null(prove_counters(&amd_core, &m, &have));
        model_assert_as_found(&m);
    }
}

static const struct counter_setting flops[] = {
    {.slot = 2, .code = 0xff03},
    {.slot = 0, .code = 0xc0},
    {.slot = 5, .code = 0x2ff | UINT64_C(0x100000000)}, /* an event above FFH */
};

static void amd_is_put_back_whatever_faults(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < AMDS; i++) {
        amd = *amds[i];
        survive_every_fault(&amd_core, flops, amd.extended ? 3 : 2);
        find_despite_every_fault(&amd_core, NULL, 0);
    }
}

static void large_increments_take_two_counters(void **unused)
{
    const struct counter_setting odd[] = {{.slot = 1, .code = 0xff03}};
    const struct counter_setting crowded[] = {{.slot = 2, .code = 0xff03}, {.slot = 3, .code = 0xc0}};
    const char *wanted = "event 003H needs an even counter, and the odd one behind it";
    uint64_t value;

    (void)unused;
    for (size_t i = 2; i < AMDS; i++) {
        be_amd(amds[i]);
        assert_null(counters_program(&a, &have, flops, 3, &state));
        assert_true(counters_go(&a, &have, &state));
        execute_amd(&m, 100, 100);
        assert_true(counters_stop(&a, &have, &state));
        assert_true(counters_read(&a, &have, 2, &value));
        assert_int_equal(value, 800);
        assert_true(counters_restore(&a, &have, &state));
        model_assert_as_found(&m);
        assert_string_equal(refused(odd, 1), wanted);
        assert_string_equal(refused(crowded, 2), wanted);
    }
    be_amd(&k8); /* there, 003H is an event like others */
    assert_null(counters_program(&a, &have, odd, 1, &state));
    assert_true(counters_restore(&a, &have, &state));
}

static void amd_writes_in_order(void **unused)
{
    (void)unused;
    be_amd(&zen4);
    assert_null(counters_program(&a, &have, flops, 2, &state));
    assert_true(counters_go(&a, &have, &state));
    assert_true(counters_stop(&a, &have, &state));
    model_assert_writes(&m, "w PERFEVTSEL3 f004000ff\n"
                            "w PERFEVTSEL2 43ff03\n"
                            "w PERFEVTSEL0 4300c0\n"
                            "w GLOBAL_CTL d\n"
                            "w GLOBAL_CTL 0\n");
    assert_true(counters_restore(&a, &have, &state));
    be_amd(&zen1); /* each by itself */
    assert_null(counters_program(&a, &have, flops, 2, &state));
    assert_true(counters_go(&a, &have, &state));
    assert_true(counters_stop(&a, &have, &state));
    model_assert_writes(&m, "w PERFEVTSEL3 f000000ff\n"
                            "w PERFEVTSEL2 3ff03\n"
                            "w PERFEVTSEL0 300c0\n"
                            "w PERFEVTSEL0 4300c0\n"
                            "w PERFEVTSEL2 43ff03\n"
                            "w PERFEVTSEL3 f004000ff\n"
                            "w PERFEVTSEL0 300c0\n"
                            "w PERFEVTSEL2 3ff03\n"
                            "w PERFEVTSEL3 f000000ff\n");
    assert_true(counters_restore(&a, &have, &state));
    model_assert_as_found(&m);
}

/* QEMU's AMD models: AMD64 has the legacy counters without announcing them, and an emulator loses what is written. */
static void an_emulator_without_counters_is_found_out(void **unused)
{
    struct amd emulator = k8;

    (void)unused;
    emulator.kind = MODEL_IGNORES;
    be_amd(&emulator);
    assert_string_equal(prove_counters(&amd_core, &m, &have), "PERF_CTLn (0xc0010000) ignores what is written");
}

static void an_amd_core_whose_registers_fault_is_reported(void **unused)
{
    (void)unused;
    amd = zen4;
    memset(&m, 0, sizeof m);
    build_amd(&m);
    m.count = 0;
    a = model_access(&m);
    counters_find(&a, &have);
    assert_string_equal(have.why_not, "PerfCntrGlobalCtl is announced (CPUID.80000022H) and cannot be read");
}

static void leaves_amd_counters_in_use_alone(void **unused)
{
    (void)unused;
    be_amd(&zen4);
    model_at(&m, amd_selector(3))->value = 0x4300c0;
    model_at(&m, 0xc0000301)->value = BIT(3);
    model_begin(&m);
    counters_find(&a, &have);
    assert_int_equal(have.taken, BIT(3));
    assert_string_equal(refused(flops, 1), "event 003H needs an even counter, and the odd one behind it");
    assert_null(counters_program(&a, &have, &flops[1], 1, &state));
    assert_true(counters_go(&a, &have, &state));
    execute_amd(&m, 100, 100);
    assert_true(counters_restore(&a, &have, &state));
    assert_int_equal(model_at(&m, amd_counter(3))->value, 100);
    model_at(&m, amd_counter(3))->found = 100;
    model_assert_as_found(&m);
}

/* ---- The events of every known core ------------------------------------------------------------- */

static void become_known(const char *name, const struct event_core *core)
{
    be_amd(events_slots(core) == 0xf ? &k8 : strncmp(name, "zen", 3) == 0 ? &zen4 : &bulldozer);
}

static void every_event_of_amds_cores_can_be_programmed(void **unused)
{
    (void)unused;
    every_known_event_can_be_programmed(COUNTERS_AMD, become_known, 300, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_each_amd_has),
        cmocka_unit_test(every_amd_counter_counts),
        cmocka_unit_test(amd_is_put_back_whatever_faults),
        cmocka_unit_test(large_increments_take_two_counters),
        cmocka_unit_test(amd_writes_in_order),
        cmocka_unit_test(an_emulator_without_counters_is_found_out),
        cmocka_unit_test(an_amd_core_whose_registers_fault_is_reported),
        cmocka_unit_test(leaves_amd_counters_in_use_alone),
        cmocka_unit_test(every_event_of_amds_cores_can_be_programmed),
    };

    return cmocka_run_group_tests_name("counters_amd", tests, NULL, NULL);
}
