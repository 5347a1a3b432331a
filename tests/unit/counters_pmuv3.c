/* Performance counters of PMUv3 on modelled register files. */
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

enum { CYCLES = COUNTER_FIXED, INSTRUCTIONS = COUNTER_FIXED + 1 };

/* The encodings of numbered registers, from their own pages (Arm ARM DDI 0487, D19.5). */
static void registers_are_the_manuals(void **unused)
{
    (void)unused;
    assert_int_equal(ID_PMCR_EL0, 3 << 14 | 3 << 11 | 9 << 7 | 12 << 3 | 0);
    assert_int_equal(ID_PMEVCNTR0, SYSTEM_REGISTER(3, 3, 14, 8, 0));
    assert_int_equal(ID_PMEVCNTR7, SYSTEM_REGISTER(3, 3, 14, 8, 7));
    assert_int_equal(ID_PMEVCNTR8, SYSTEM_REGISTER(3, 3, 14, 9, 0));
    assert_int_equal(ID_PMEVCNTR30, SYSTEM_REGISTER(3, 3, 14, 11, 6));
    assert_int_equal(ID_PMEVTYPER0, SYSTEM_REGISTER(3, 3, 14, 12, 0));
    assert_int_equal(ID_PMEVTYPER23, SYSTEM_REGISTER(3, 3, 14, 14, 7));
    assert_int_equal(ID_PMEVTYPER30, SYSTEM_REGISTER(3, 3, 14, 15, 6));
    assert_int_equal(ID_PMCCFILTR_EL0, SYSTEM_REGISTER(3, 3, 14, 15, 7));
}

/* ---- PMUv3: Arm ARM DDI 0487, D13 and D19.5 ------------------------------------------------------ */

static struct pmu {
    unsigned version; /* ID_AA64DFR0_EL1.PMUVer */
    unsigned count;   /* event counters implemented */
    unsigned level;   /* that registers are accessed at */
    unsigned counted; /* that code runs at */
    unsigned first;   /* MDCR_EL2.HPMN */
    bool instructions, hypervisor_counts;
    bool no_filter;  /* NSH is not there */
    bool garbage;    /* registers hold what a reset leaves: anything */
    bool no_retired; /* INST_RETIRED is not implemented, as in an emulator without instruction counting */
} pmu;

/* What the set and clear registers are views of; not numbers that a program could use. */
enum { ENABLED = 0xffff0001, INTERRUPTING = 0xffff0002, OVERFLOWED = 0xffff0003 };

static const char *const counter_names[] = {"PMEVCNTR0", "PMEVCNTR1", "PMEVCNTR2", "PMEVCNTR3",
                                            "PMEVCNTR4", "PMEVCNTR5", "PMEVCNTR6", "PMEVCNTR7"};
static const char *const type_names[] = {"PMEVTYPER0", "PMEVTYPER1", "PMEVTYPER2", "PMEVTYPER3",
                                         "PMEVTYPER4", "PMEVTYPER5", "PMEVTYPER6", "PMEVTYPER7"};

static uint32_t counter(unsigned n)
{
    return SYSTEM_REGISTER(3, 3, 14, 8 + n / 8, n % 8);
}

static uint32_t type(unsigned n)
{
    return SYSTEM_REGISTER(3, 3, 14, 12 + n / 8, n % 8);
}

static void add_flags(struct model *model, const char *set_name, uint32_t set, const char *clear_name, uint32_t clear,
                      uint32_t base)
{
    const uint64_t all = ONES(pmu.count) | BIT(31) | (pmu.instructions ? BIT(32) : 0);

    model_register(model, "flags", base, pmu.garbage ? all & UINT64_C(0x1aaaaaaaa) : 0, all);
    model_register(model, set_name, set, 0, all)->kind = MODEL_SETS;
    model_register(model, clear_name, clear, 0, all)->kind = MODEL_CLEARS;
    model_at(model, set)->view_of = model_at(model, clear)->view_of = base;
}

static void build_pmu(struct model *model)
{
    /* P, U, NSK, NSU; NSH */
    const uint64_t filters = BIT(31) | BIT(30) | BIT(29) | BIT(28) | (pmu.no_filter ? 0 : BIT(27));
    const unsigned bits = pmu.version >= 6 ? 64 : 32;
    const uint64_t junk = pmu.garbage ? UINT64_C(0x123456789abcdef) : 0;
    const uint64_t event_bits = (pmu.version >= 4 ? ONES(16) : ONES(10)) |
                                (pmu.version >= 8 ? BIT(61) * 7 | (BIT(44) - BIT(32)) : 0);
    uint64_t control = BIT(0) | BIT(3) | BIT(6);

    model_register(model, "MIDR_EL1", ID_MIDR_EL1, 0x410fd0c1, 0)->kind = MODEL_READ_ONLY;
    model_register(model, "ID_AA64DFR0_EL1", ID_ID_AA64DFR0_EL1, pmu.version << 8 | 6, 0)->kind = MODEL_READ_ONLY;
    model_register(model, "ID_AA64DFR1_EL1", ID_ID_AA64DFR1_EL1, pmu.instructions ? BIT(36) : 0, 0)->kind =
        MODEL_READ_ONLY;
    model_register(model, "CurrentEL", ID_CurrentEL, pmu.level << 2, 0)->kind = MODEL_READ_ONLY;
    if (pmu.version == 0 || pmu.version == 0xf)
        return;
    if (pmu.level == 2) {
        /* HPMD and HCCD as a reset may leave them; the rest is the firmware's. */
        const uint64_t there = ONES(5) | (pmu.version >= 4 ? BIT(17) : 0) | (pmu.version >= 6 ? BIT(23) : 0);

        model_register(model, "MDCR_EL2", ID_MDCR_EL2,
                       pmu.first | (pmu.hypervisor_counts ? BIT(7) : 0) | BIT(9) | (pmu.garbage ? there & ~ONES(5) : 0),
                       there | BIT(7) | BIT(9))
            ->allowed = there;
    }
    if (pmu.version >= 6)
        control |= BIT(7);
    if (pmu.version >= 7)
        control |= BIT(9);
    model_register(model, "PMCR_EL0", ID_PMCR_EL0,
                   UINT64_C(0x410c0000) | (pmu.level == 2 ? pmu.count : pmu.first) << 11 | BIT(4) |
                       (pmu.garbage ? BIT(3) | (control & BIT(9)) : 0),
                   control | BIT(4) | BIT(5))
        ->allowed = control;
    model_register(model, "PMCEID0_EL0", ID_PMCEID0_EL0, BIT(17) | (pmu.no_retired ? 0 : BIT(8)), 0)->kind =
        MODEL_READ_ONLY;
    model_register(model, "PMCEID1_EL0", ID_PMCEID1_EL0, 0, 0)->kind = MODEL_READ_ONLY;
    add_flags(model, "PMCNTENSET", ID_PMCNTENSET_EL0, "PMCNTENCLR", ID_PMCNTENCLR_EL0, ENABLED);
    add_flags(model, "PMINTENSET", ID_PMINTENSET_EL1, "PMINTENCLR", ID_PMINTENCLR_EL1, INTERRUPTING);
    add_flags(model, "PMOVSSET", ID_PMOVSSET_EL0, "PMOVSCLR", ID_PMOVSCLR_EL0, OVERFLOWED);
    model_register(model, "PMCCNTR", ID_PMCCNTR_EL0, junk, UINT64_MAX);
    model_register(model, "PMCCFILTR", ID_PMCCFILTR_EL0, junk & filters, filters);
    if (pmu.instructions) {
        model_register(model, "PMICNTR", ID_PMICNTR_EL0, junk, UINT64_MAX);
        model_register(model, "PMICFILTR", ID_PMICFILTR_EL0, junk & filters, filters);
    }
    for (unsigned n = 0; n < (pmu.level == 2 ? pmu.count : pmu.first); n++) {
        model_register(model, counter_names[n], counter(n), junk & ONES(bits), ONES(bits));
        model_register(model, type_names[n], type(n), junk & (filters | event_bits), filters | event_bits)->allowed =
            filters | event_bits | BIT(27);
    }
}

/* Whether code at that level is counted by a counter with that filter: NSH for EL2, P for EL1. */
static bool passes(uint64_t filter, unsigned level)
{
    const bool p = filter >> 31 & 1, nsk = filter >> 29 & 1;

    return level == 2 ? filter >> 27 & 1 : p == nsk; /* non-secure EL1: NSK equal to P */
}

static void execute_pmu(struct model *model, uint64_t instructions, uint64_t cycles)
{
    const uint64_t control = model_at(model, ID_PMCR_EL0)->value, enabled = model_at(model, ENABLED)->value;
    const uint64_t el2 = pmu.level == 2 ? model_at(model, ID_MDCR_EL2)->value : pmu.first;
    const bool no_events = pmu.counted == 2 && (el2 >> 17 & 1), no_cycles = pmu.counted == 2 && (el2 >> 23 & 1);
    const bool frozen = (control >> 9 & 1) && (model_at(model, OVERFLOWED)->value & ONES(el2 & 31));

    for (unsigned n = 0; n < (pmu.level == 2 ? pmu.count : pmu.first); n++) {
        const bool on = n < (el2 & 31) ? (control & 1) && !frozen : el2 >> 7 & 1;
        const uint64_t event = model_at(model, type(n))->value & 0xffff;
        struct model_register *r = model_at(model, counter(n));

        if (!on || no_events || !(enabled & BIT(n)) || !passes(model_at(model, type(n))->value, pmu.counted))
            continue;
        /* At EL1 counters from HPMN on are out of reach, and do not count for it. */
        if (event == 0x11 || (event == 0x08 && !pmu.no_retired))
            r->value = (r->value + (event == 0x08 ? instructions : cycles)) & ONES(pmu.version >= 6 ? 64 : 32);
    }
    if ((control & 1) && !frozen && !no_cycles && (enabled & BIT(31)) &&
        passes(model_at(model, ID_PMCCFILTR_EL0)->value, pmu.counted))
        model_at(model, ID_PMCCNTR_EL0)->value += control >> 3 & 1 ? cycles / 64 : cycles;
    if (pmu.instructions && (control & 1) && !frozen && !no_events && (enabled & BIT(32)) &&
        passes(model_at(model, ID_PMICFILTR_EL0)->value, pmu.counted))
        model_at(model, ID_PMICNTR_EL0)->value += instructions;
}

static const struct counting_core pmu_core = {build_pmu, execute_pmu};

static void be(const struct pmu *core)
{
    pmu = *core;
    expect_counters(&pmu_core, &m, &have);
    a = model_access(&m);
}

/* A Cortex-A53 and a Neoverse N1 at EL1; N1 and later ones at EL2, windows at EL1 or none; as a reset leaves them. */
static const struct pmu cores[] = {
    {.version = 1, .count = 6, .first = 6, .level = 1, .counted = 1},
    {.version = 4, .count = 6, .first = 6, .level = 1, .counted = 1, .garbage = true},
    {.version = 4, .count = 6, .first = 4, .level = 1, .counted = 1},
    {.version = 1, .count = 6, .first = 6, .level = 2, .counted = 1},
    {.version = 4, .count = 6, .first = 6, .level = 2, .counted = 2, .garbage = true},
    {.version = 6, .count = 6, .first = 2, .level = 2, .counted = 1, .garbage = true},
    {.version = 7, .count = 8, .first = 0, .level = 2, .counted = 2, .garbage = true},
    {.version = 9, .count = 8, .first = 8, .level = 2, .counted = 2, .instructions = true, .garbage = true},
    {.version = 6, .count = 6, .first = 6, .level = 1, .counted = 1, .no_retired = true},
};
enum { CORES = sizeof cores / sizeof cores[0], A53 = 0, N1_GARBAGE = 1, GUEST_OF_4 = 2, N1_EL2 = 4, OF_8 = 6, V9 = 7 };

static void finds_what_each_core_has(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < CORES; i++) {
        be(&cores[i]);
        assert_int_equal(have.kind, COUNTERS_PMUV3);
        assert_int_equal(have.slots, ONES(pmu.level == 2 ? pmu.count : pmu.first) | BIT(CYCLES) |
                                         (pmu.instructions ? BIT(INSTRUCTIONS) : 0));
        assert_int_equal(have.bits, pmu.version >= 6 ? 64 : 32);
        assert_int_equal(have.fixed_bits, 64);
        assert_int_equal(have.taken, 0);
    }
    be(&cores[GUEST_OF_4]);
    assert_string_equal(have.name, "Arm PMUv3, PMUVer 4");
}

static void every_counter_counts(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < CORES; i++) {
        be(&cores[i]);

        const char *verdict = prove_counters(&pmu_core, &m, &have);

        if (verdict != NULL)
            fail_msg("core %zu: %s", i, verdict);
        model_assert_as_found(&m);
    }
}

static const struct counter_setting three[] = {
    {.slot = 0, .code = 0x08},
    {.slot = 3, .code = 0x11},
    {.slot = CYCLES},
};

static void everything_is_put_back_whatever_faults(void **unused)
{
    const uint32_t dispensable[] = {ID_CurrentEL, ID_ID_AA64DFR1_EL1};

    (void)unused;
    for (size_t i = 0; i < CORES; i++) {
        pmu = cores[i];
        survive_every_fault(&pmu_core, three, 3);
        find_despite_every_fault(&pmu_core, dispensable, 2);
    }
}

/* Off, configured, enabled (Arm ARM D13.1; Linux, drivers/perf/arm_pmuv3.c). */
static void writes_in_order(void **unused)
{
    (void)unused;
    be(&cores[N1_EL2]);
    assert_null(counters_program(&a, &have, three, 3, &state));
    assert_true(counters_go(&a, &have, &state));
    assert_true(counters_stop(&a, &have, &state));
    model_assert_writes(&m, "w PMCNTENCLR 8000002a\n"
                            "w PMINTENCLR 8000002a\n"
                            "w PMOVSCLR 8000002a\n"
                            "w MDCR_EL2 206\n"
                            "w PMEVTYPER0 8000008\n"
                            "w PMEVCNTR0 0\n"
                            "w PMEVTYPER3 8000011\n"
                            "w PMEVCNTR3 0\n"
                            "w PMCCFILTR 8000000\n"
                            "w PMCCNTR 0\n"
                            "w PMCR_EL0 410c3051\n"
                            "w PMCNTENSET 80000009\n"
                            "w PMCNTENCLR 80000009\n");
    m.accesses = 0;
    assert_true(counters_restore(&a, &have, &state));
    model_assert_writes(&m, "w PMCNTENCLR 80000009\n"
                            "w PMCR_EL0 410c3018\n"
                            "w PMCCNTR 123456789abcdef\n"
                            "w PMCCFILTR 88000000\n"
                            "w PMEVCNTR3 89abcdef\n"
                            "w PMEVTYPER3 8800cdef\n"
                            "w PMEVCNTR0 89abcdef\n"
                            "w PMEVTYPER0 8800cdef\n"
                            "w MDCR_EL2 20206\n"
                            "w PMOVSSET 8000002a\n"
                            "w PMINTENSET 8000002a\n"
                            "w PMCNTENSET 8000002a\n");
    model_assert_as_found(&m);
}

/* At EL2 nothing is counted without NSH. A core that does not take it says so; one that pretends to is found out. */
static void counts_nothing_at_el2_without_the_filter(void **unused)
{
    struct pmu unfiltered = cores[N1_EL2];

    (void)unused;
    unfiltered.no_filter = true;
    be(&unfiltered);
    assert_string_equal(prove_counters(&pmu_core, &m, &have), "PMEVTYPERn_EL0 (0xdf60) does not take what is written");
    model_assert_as_found(&m);
    be(&cores[N1_EL2]);
    for (unsigned n = 0; n < 6; n++)
        model_at(&m, type(n))->kind = MODEL_LIES;
    assert_string_equal(prove_counters(&pmu_core, &m, &have), "stands still");
}

/* A firmware at EL2 that counts with its own part of the counters keeps it. */
static void leaves_el2_its_part(void **unused)
{
    struct pmu parted = {.version = 6, .count = 6, .first = 2, .level = 2, .counted = 1, .hypervisor_counts = true};
    const struct counter_setting second[] = {{.slot = 1, .code = 8}};
    uint64_t value;

    (void)unused;
    be(&parted);
    model_at(&m, ENABLED)->value = BIT(5) | BIT(1); /* 1 is garbage: PMCR_EL0.E is off */
    model_at(&m, type(5))->value = 0x8000008;
    model_begin(&m);
    counters_find(&a, &have);
    assert_int_equal(have.taken, BIT(2) | BIT(3) | BIT(4) | BIT(5));
    assert_null(counters_program(&a, &have, second, 1, &state));
    assert_int_equal(model_at(&m, ID_MDCR_EL2)->value & 31, 2);
    assert_true(counters_go(&a, &have, &state));
    execute_pmu(&m, 100, 100);
    assert_true(counters_read(&a, &have, 1, &value));
    assert_int_equal(value, 100);
    assert_true(counters_restore(&a, &have, &state));
    assert_int_equal(model_at(&m, counter(5))->value, 100);
    model_at(&m, counter(5))->found = 100;
    model_assert_as_found(&m);
}

/* Counters of somebody at our own level go on, with the control register as they set it. */
static void leaves_counters_in_use_alone(void **unused)
{
    (void)unused;
    be(&cores[A53]);
    model_at(&m, ENABLED)->value = BIT(31) | BIT(2);
    model_at(&m, type(2))->value = 0x08;
    model_at(&m, ID_PMCR_EL0)->value |= BIT(0) | BIT(3);
    model_begin(&m);
    counters_find(&a, &have);
    assert_int_equal(have.taken, BIT(2) | BIT(CYCLES));
    assert_string_equal(refused(three, 3), "this counter was in use when it was found, and is left alone");
    count_once(&pmu_core, three, 2, 64);
    assert_int_equal(model_at(&m, counter(0))->value, 64);
    assert_true(counters_restore(&a, &have, &state));
    assert_int_equal(model_at(&m, counter(2))->value, 4 * 64);
    assert_int_equal(model_at(&m, ID_PMCCNTR_EL0)->value, 4);
    model_at(&m, counter(2))->found = 4 * 64;
    model_at(&m, ID_PMCCNTR_EL0)->found = 4;
    model_assert_as_found(&m);
}

static void clears_overflows_of_its_own_only(void **unused)
{
    (void)unused;
    be(&cores[A53]);
    model_at(&m, OVERFLOWED)->value = BIT(4);
    model_begin(&m);
    assert_null(counters_program(&a, &have, three, 3, &state));
    assert_true(counters_go(&a, &have, &state));
    model_at(&m, OVERFLOWED)->value |= BIT(0) | BIT(31);
    assert_true(counters_restore(&a, &have, &state));
    model_assert_as_found(&m);
}

/* From PMUv3p7 on an overflow can stop all counters, and a reset may leave it so. */
static void an_overflow_stops_nothing(void **unused)
{
    (void)unused;
    be(&cores[OF_8]);
    assert_null(counters_program(&a, &have, three, 3, &state));
    assert_true(counters_go(&a, &have, &state));
    model_at(&m, OVERFLOWED)->value |= BIT(3);
    execute_pmu(&m, 100, 300);
    assert_int_equal(model_at(&m, counter(0))->value, 100);
    assert_int_equal(model_at(&m, ID_PMCCNTR_EL0)->value, 300);
    assert_true(counters_restore(&a, &have, &state));
    model_assert_as_found(&m);
}

static void a_core_without_is_reported(void **unused)
{
    static const struct {
        unsigned version;
        const char *why_not;
    } none[] = {
        {0, "no performance monitors (ID_AA64DFR0_EL1.PMUVer is 0)"},
        {0xf, "performance monitors are the implementer's own, not PMUv3 (ID_AA64DFR0_EL1.PMUVer is 15)"},
    };

    (void)unused;
    for (size_t i = 0; i < 2; i++) {
        memset(&m, 0, sizeof m);
        pmu = (struct pmu){.version = none[i].version, .level = 1};
        build_pmu(&m);
        a = model_access(&m);
        counters_find(&a, &have);
        assert_string_equal(have.why_not, none[i].why_not);
        assert_string_equal(counters_program(&a, &have, three, 3, &state), none[i].why_not);
        assert_int_equal(have.slots, 0);
    }
}

/* A hypervisor (MDCR_EL2.TPM) or firmware (MDCR_EL3.TPM) that announces the counters and keeps them. */
static void gated_registers_are_reported(void **unused)
{
    (void)unused;
    memset(&m, 0, sizeof m);
    pmu = cores[N1_GARBAGE];
    build_pmu(&m);
    model_at(&m, ID_PMCR_EL0)->read_faults = true;
    a = model_access(&m);
    counters_find(&a, &have);
    assert_string_equal(have.why_not, "PMCR_EL0 is announced (ID_AA64DFR0_EL1.PMUVer) and cannot be read");
}

static void refuses_what_cannot_be(void **unused)
{
    const struct counter_setting beyond[] = {{.slot = 4, .code = 8}};
    const struct counter_setting wide[] = {{.slot = 0, .code = 0x8005}};
    const struct counter_setting threshold[] = {{.slot = 0, .code = 0x3b | UINT64_C(2) << 32 | BIT(61)}};
    const struct counter_setting filtered[] = {{.slot = 0, .code = 8 | BIT(31)}};
    const struct counter_setting extra[] = {{.slot = 0, .code = 8, .extra = 0x1a6}};

    (void)unused;
    be(&cores[GUEST_OF_4]);
    assert_string_equal(refused(beyond, 1), "this core has no such counter");
    assert_string_equal(refused(filtered, 1), "an event has bits that PMEVTYPERn_EL0 of this core does not have");
    assert_string_equal(refused(threshold, 1), "an event has bits that PMEVTYPERn_EL0 of this core does not have");
    assert_string_equal(refused(extra, 1), "events of this core need no further registers");
    be(&cores[A53]);
    assert_string_equal(refused(wide, 1), "an event has bits that PMEVTYPERn_EL0 of this core does not have");
    be(&cores[V9]);
    assert_null(counters_program(&a, &have, threshold, 1, &state));
    assert_true(counters_restore(&a, &have, &state));
    model_assert_as_found(&m);
}

/* ---- The events of every known core ------------------------------------------------------------- */

static void become_known(const char *name, const struct event_core *core)
{
    (void)core;
    be(strcmp(name, "cortex-a53") == 0 || strcmp(name, "cortex-a57") == 0 ? &cores[A53] : &cores[V9]);
}

static void every_event_of_arms_cores_can_be_programmed(void **unused)
{
    (void)unused;
    every_known_event_can_be_programmed(COUNTERS_PMUV3, become_known, 1000, 0);
}

/* PMCEID describes the events 0 to 3FH and 4000H to 403FH, and of no others. */
static void events_that_are_not_there_are_named(void **unused)
{
    have = (struct counters){.kind = COUNTERS_PMUV3, .slots = 1};

    (void)unused;
    have.detail[0] = UINT64_C(1) << 8 | UINT64_C(1) << (32 + 5); /* PMCEID0_EL0: 8H, 4005H */
    have.detail[1] = UINT64_C(1) << 4 | UINT64_C(1) << (32 + 1); /* PMCEID1_EL0: 24H, 4021H */
    for (uint64_t event = 0; event < 0x10000; event++) {
        bool known = event < 0x40 || (event >= 0x4000 && event < 0x4040);
        bool there = event == 0x8 || event == 0x24 || event == 0x4005 || event == 0x4021;
        assert_int_equal(counters_lacks(&have, event) != NULL, known && !there);
    }
    have.why_not = "none";
    assert_null(counters_lacks(&have, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_are_the_manuals),
        cmocka_unit_test(finds_what_each_core_has),
        cmocka_unit_test(every_counter_counts),
        cmocka_unit_test(everything_is_put_back_whatever_faults),
        cmocka_unit_test(writes_in_order),
        cmocka_unit_test(counts_nothing_at_el2_without_the_filter),
        cmocka_unit_test(leaves_el2_its_part),
        cmocka_unit_test(leaves_counters_in_use_alone),
        cmocka_unit_test(clears_overflows_of_its_own_only),
        cmocka_unit_test(an_overflow_stops_nothing),
        cmocka_unit_test(a_core_without_is_reported),
        cmocka_unit_test(gated_registers_are_reported),
        cmocka_unit_test(refuses_what_cannot_be),
        cmocka_unit_test(every_event_of_arms_cores_can_be_programmed),
        cmocka_unit_test(events_that_are_not_there_are_named),
    };

    return cmocka_run_group_tests_name("counters_pmuv3", tests, NULL, NULL);
}
