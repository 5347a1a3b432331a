/* Intel's performance counters on modelled register files, a generation each; and the verdict on a counter's proof. */
/* link: arch/counters.c arch/access.c arch/x86_64/counters.c arch/x86_64/counters_intel.c arch/x86_64/counters_amd.c */
/* link: arch/x86_64/cpu.c arch/x86_64/identify.c tests/registers/model.c tests/registers/counters.c */
/* link: lib/counters/events.c lib/counters/events/intel.c lib/counters/events/intel_names.c lib/counters/events/amd.c build/events/x86_64.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/counters_intel.h"

static const struct intel *const generations[] = {&core_duo,     &penryn,       &nehalem,   &skylake, &ice_lake,
                                                  &alder_lake_p, &alder_lake_e, &lion_cove, &skymont};
enum { GENERATIONS = sizeof generations / sizeof generations[0] };

static void finds_what_each_generation_has(void **unused)
{
    static const uint64_t slots[] = {
        0x3, 0x700000003, 0x70000000f, 0x70000000f, 0xf000000ff, 0xf000000ff, 0x70000003f, 0xf000003ff, 0x77000000ff,
    };

    (void)unused;
    for (size_t i = 0; i < GENERATIONS; i++) {
        be(generations[i]);
        assert_int_equal(have.kind, COUNTERS_INTEL);
        assert_int_equal(have.version, intel.version);
        assert_int_equal(have.slots, slots[i]);
        assert_int_equal(have.taken, 0);
        assert_int_equal(have.bits, intel.bits);
        assert_int_equal(have.fixed_bits, intel.version >= 2 ? intel.bits : 0);
    }
    be(&skylake);
    assert_string_equal(have.name, "Intel architectural PMU, version 4");
}

/* Without efficiency cores the processor still says that it is hybrid, and announces all that the core has. */
static void believes_a_performance_core_that_announces_all(void **unused)
{
    struct intel without_e = alder_lake_p;

    (void)unused;
    without_e.general = 8;
    without_e.fixed = 4;
    be(&without_e);
    assert_int_equal(have.slots, 0xf000000ff);
}

/* A hypervisor that gives six and means it. */
static void believes_a_performance_core_whose_others_fault(void **unused)
{
    struct intel guest = alder_lake_p;

    (void)unused;
    guest.really_general = guest.really_fixed = 0;
    be(&guest);
    assert_int_equal(have.slots, 0x70000003f);
    model_assert_writes(&m, "");
}

static void every_counter_counts(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < GENERATIONS; i++) {
        be(generations[i]);

        const char *verdict = prove_counters(&intel_core, &m, &have);

        if (verdict != NULL)
            fail_msg("generation %zu: %s", i, verdict);
        model_assert_as_found(&m);
    }
}

/* Selectors that read back what is written, and select nothing. */
static void a_selector_that_lies_is_found_out(void **unused)
{
    struct intel liar = ice_lake;

    (void)unused;
    liar.selector_kind = MODEL_LIES;
    be(&liar);
    assert_string_equal(prove_counters(&intel_core, &m, &have), "stands still");
}

/* QEMU's, if CPUID announced counters: reads give zero, writes are lost, nothing faults. */
static void a_selector_that_ignores_writes_is_named(void **unused)
{
    struct intel emulator = ice_lake;

    (void)unused;
    emulator.selector_kind = MODEL_IGNORES;
    be(&emulator);
    assert_string_equal(prove_counters(&intel_core, &m, &have), "IA32_PERFEVTSELn (0x186) ignores what is written");
    model_assert_as_found(&m);
}

static const struct counter_setting three[] = {
    {.slot = 0, .code = 0xc0},
    {.slot = 1, .code = 0x01b7, .extra = 0x1a6, .extra_value = 0x10001},
    {.slot = FIXED + 1},
};

/* SDM vol. 3B, 20.2.2: all off, counts, further registers, selectors; one write starts and one stops. */
static void writes_in_the_manuals_order(void **unused)
{
    (void)unused;
    be(&skylake);
    for (unsigned i = 0; i < 3; i++) /* as the firmware left them */
        model_at(&m, (uint32_t[]){0xc1, 0xc2, 0x30a}[i])->value = 5;
    model_at(&m, 0x38f)->value = 0xf; /* its value after a reset */
    model_begin(&m);
    assert_null(counters_program(&a, &have, three, 3, &state));
    model_assert_writes(&m, "w GLOBAL_CTRL c\n"
                            "w DEBUGCTL 4000\n"
                            "w A_PMC0 0\n"
                            "w A_PMC1 0\n"
                            "w FIXED1 0\n"
                            "w OFFCORE_RSP_0 10001\n"
                            "w PERFEVTSEL0 4300c0\n"
                            "w PERFEVTSEL1 4301b7\n"
                            "w FIXED_CTR_CTRL 30\n");
    m.accesses = 0;
    assert_true(counters_go(&a, &have, &state));
    assert_true(counters_stop(&a, &have, &state));
    model_assert_log(&m, "r GLOBAL_CTRL c\nw GLOBAL_CTRL 20000000f\nr GLOBAL_CTRL 20000000f\nw GLOBAL_CTRL c\n");
    m.accesses = 0;
    assert_true(counters_restore(&a, &have, &state));
    model_assert_writes(&m, "w FIXED_CTR_CTRL 0\n"
                            "w PERFEVTSEL1 0\n"
                            "w PERFEVTSEL0 0\n"
                            "w OFFCORE_RSP_0 0\n"
                            "w FIXED1 5\n"
                            "w A_PMC1 5\n"
                            "w A_PMC0 5\n"
                            "w DEBUGCTL 0\n"
                            "w GLOBAL_CTRL f\n");
    model_assert_as_found(&m);
}

/* Version 1 has no global control: nothing is enabled before counters_go. */
static void version_1_starts_by_its_selectors(void **unused)
{
    (void)unused;
    be(&core_duo);
    assert_null(counters_program(&a, &have, three, 1, &state));
    assert_true(counters_go(&a, &have, &state));
    assert_true(counters_stop(&a, &have, &state));
    assert_true(counters_restore(&a, &have, &state));
    model_assert_writes(&m, "w PERFEVTSEL0 300c0\nw PERFEVTSEL0 4300c0\nw PERFEVTSEL0 300c0\nw PERFEVTSEL0 0\n");
}

static void everything_is_put_back_whatever_faults(void **unused)
{
    const struct counter_setting list[] = {three[0], three[1], {.slot = 3, .code = 0x3c}, three[2]};

    (void)unused;
    for (size_t i = 0; i < GENERATIONS; i++) {
        intel = *generations[i];
        survive_every_fault(&intel_core, list, intel.version == 1 ? 1 : intel.general == 2 ? 2 : 4);
    }
}

static void says_which_register_faults(void **unused)
{
    const uint32_t capabilities[] = {0x345};
    const uint32_t perhaps[] = {0x345, 0x18c, 0x18d, 0xc7, 0xc8, 0x30c}; /* those that are not announced */

    (void)unused;
    for (size_t i = 0; i < GENERATIONS; i++) {
        intel = *generations[i];
        if (generations[i] != &alder_lake_p)
            find_despite_every_fault(&intel_core, capabilities, 1);
    }
    /* There, the same registers are looked at again once they belong. */
    intel = alder_lake_p;
    memset(&m, 0, sizeof m);
    build_intel(&m);
    a = model_access(&m);
    for (size_t i = 1; i < 6; i++) {
        model_at(&m, perhaps[i])->read_faults = true;
        counters_find(&a, &have);
        assert_null(have.why_not);
        assert_int_equal(have.slots, perhaps[i] == 0x30c ? 0x7000000ff : 0x70000003f);
        model_at(&m, perhaps[i])->read_faults = false;
    }
}

/* Bochs' Skylake: CPUID announces version 4, and every one of its registers faults. */
static void a_wrong_cpuid_is_reported(void **unused)
{
    (void)unused;
    intel = skylake;
    memset(&m, 0, sizeof m);
    build_intel(&m);
    m.count = 0;
    a = model_access(&m);
    counters_find(&a, &have);
    assert_string_equal(have.why_not, "IA32_PERF_GLOBAL_CTRL is announced (CPUID.0AH) and cannot be read");
    assert_string_equal(counters_program(&a, &have, three, 1, &state), have.why_not);
}

/* QEMU's Intel models: no leaf 0AH. */
static void missing_counters_are_reported(void **unused)
{
    (void)unused;
    memset(&m, 0, sizeof m);
    model_cpuid(&m, 0, 0, 0xd, 0x756e6547, 0x6c65746e, 0x49656e69);
    a = model_access(&m);
    counters_find(&a, &have);
    assert_string_equal(have.why_not, "CPUID.0AH announces no performance counters");
    assert_int_equal(m.accesses, 0);
}

/* The firmware counts instructions on general counter 0 and cycles on fixed counter 1, and shall go on to. */
static void leaves_counters_in_use_alone(void **unused)
{
    const struct counter_setting free_ones[] = {{.slot = 1, .code = 0xc0}, {.slot = FIXED}};

    (void)unused;
    be(&skylake);
    model_at(&m, 0x186)->value = 0x5300c0;
    model_at(&m, 0x38d)->value = 0xb0;
    model_at(&m, 0x38f)->value = BIT(0) | BIT(33);
    model_begin(&m);
    counters_find(&a, &have);
    assert_int_equal(have.taken, BIT(0) | BIT(FIXED + 1));
    assert_string_equal(counters_program(&a, &have, three, 1, &state),
                        "this counter was in use when it was found, and is left alone");
    count_once(&intel_core, free_ones, 2, 10);
    assert_int_equal(model_at(&m, 0x309)->value, 10);
    assert_true(counters_restore(&a, &have, &state));
    execute_intel(&m, 10, 10);
    assert_int_equal(model_at(&m, 0xc1)->value, 50);
    assert_int_equal(model_at(&m, 0x30a)->value, 50);
    model_at(&m, 0xc1)->found = model_at(&m, 0x30a)->found = 50;
    model_assert_as_found(&m);
}

/* A firmware that froze the counters (version 4) would have ours stand still; it finds them frozen again. */
static void thaws_what_is_frozen(void **unused)
{
    (void)unused;
    be(&skylake);
    model_at(&m, 0x38e)->value = BIT(59) | BIT(2);
    model_begin(&m);
    assert_null(prove_counters(&intel_core, &m, &have));
    model_assert_as_found(&m);
}

static void clears_overflows_of_its_own_only(void **unused)
{
    (void)unused;
    be(&nehalem);
    model_at(&m, 0x38e)->value = BIT(1) | BIT(3);
    model_begin(&m);
    assert_null(counters_program(&a, &have, three, 3, &state));
    assert_true(counters_go(&a, &have, &state));
    model_at(&m, 0x38e)->value |= BIT(0) | BIT(2); /* 2 is not ours */
    assert_true(counters_restore(&a, &have, &state));
    assert_int_equal(model_at(&m, 0x38e)->value, BIT(1) | BIT(2) | BIT(3));
}

/*
 * Without full-width writes a counter takes 31 bits and a sign; what was more cannot be put back, and that is reported.
 */
static void reports_a_count_that_cannot_be_put_back(void **unused)
{
    (void)unused;
    be(&nehalem);
    model_at(&m, 0xc1)->value = 0xffff80000001; /* as a sampling driver leaves it: fits */
    model_begin(&m);
    assert_null(counters_program(&a, &have, three, 1, &state));
    assert_true(counters_restore(&a, &have, &state));
    model_assert_as_found(&m);
    model_at(&m, 0xc1)->value = 0x123456789abc;
    assert_null(counters_program(&a, &have, three, 1, &state));
    assert_false(counters_restore(&a, &have, &state));
}

/*
 * Errata AAK100, AAP53, BD53, in the steps of the errata as Linux quotes them: selectors and counts of all four
 * counters, started, stopped, put back. Then as on every other core. The code
 * has them from there too, so this model is from the same source; and whether a core counts right afterwards only a
 * Nehalem can show.
 */
static void warms_nehalems_counters_up(void **unused)
{
    const struct counter_setting third[] = {{.slot = 2, .code = 0xc0}};
    struct intel westmere = nehalem;

    (void)unused;
    westmere.signature = 0x206c2;
    for (unsigned i = 0; i < 2; i++) {
        be(i ? &westmere : &nehalem);
        model_at(&m, 0x38f)->value = 0xf;
        model_at(&m, 0xc1)->value = 7; /* as the firmware left it: not ours */
        model_begin(&m);
        assert_null(counters_program(&a, &have, third, 1, &state));
        model_assert_writes(&m, "w GLOBAL_CTRL b\n"
                                "w GLOBAL_CTRL 0\n"
                                "w PERFEVTSEL0 4300b5\n"
                                "w PMC0 0\n"
                                "w PERFEVTSEL1 4300d2\n"
                                "w PERFEVTSEL2 4300b1\n"
                                "w PERFEVTSEL3 4300b1\n"
                                "w GLOBAL_CTRL f\n"
                                "w GLOBAL_CTRL 0\n"
                                "w PERFEVTSEL3 0\n"
                                "w PERFEVTSEL2 0\n"
                                "w PERFEVTSEL1 0\n"
                                "w PMC0 7\n"
                                "w PERFEVTSEL0 0\n"
                                "w GLOBAL_CTRL b\n"
                                "w DEBUGCTL 4000\n"
                                "w PERFEVTSEL2 4300c0\n");
        assert_true(counters_restore(&a, &have, &state));
        model_assert_as_found(&m);
    }
    be(&skylake);
    assert_null(counters_program(&a, &have, third, 1, &state));
    assert_int_equal(model_at(&m, 0x186)->writes, 0);
    assert_true(counters_restore(&a, &have, &state));
}

/* A counter that somebody uses, or whose count could not be put back, is not warmed up, and neither are the others. */
static void warms_no_counter_up_that_is_not_ours(void **unused)
{
    const struct counter_setting third[] = {{.slot = 2, .code = 0xc0}};

    (void)unused;
    for (unsigned i = 0; i < 2; i++) {
        intel = nehalem;
        memset(&m, 0, sizeof m);
        build_intel(&m);
        if (i)
            model_at(&m, 0xc2)->value = 0x123456789abc;
        else
            model_at(&m, 0x187)->value = 0x43003c;
        a = model_access(&m);
        counters_find(&a, &have);
        model_begin(&m);
        assert_null(counters_program(&a, &have, third, 1, &state));
        model_assert_writes(&m, "w DEBUGCTL 4000\nw PERFEVTSEL2 4300c0\n");
        assert_true(counters_restore(&a, &have, &state));
        model_assert_as_found(&m);
    }
}

/* Transactions borrow counter 3 unless they are made to abort; no other counter needs that. */
static void takes_counter_3_back_from_transactions(void **unused)
{
    const struct counter_setting third[] = {{.slot = 3, .code = 0xc0}};

    (void)unused;
    be(&skylake);
    assert_null(counters_program(&a, &have, three, 3, &state));
    assert_int_equal(model_at(&m, 0x10f)->writes, 0);
    assert_true(counters_restore(&a, &have, &state));
    assert_null(counters_program(&a, &have, third, 1, &state));
    assert_int_equal(model_at(&m, 0x10f)->value, 1);
    assert_true(counters_restore(&a, &have, &state));
    model_assert_as_found(&m);
}

static void refuses_what_cannot_be(void **unused)
{
    const struct counter_setting fourth_of_two[] = {{.slot = 4, .code = 0xc0}};
    const struct counter_setting far[] = {{.slot = 60, .code = 0xc0}};
    const struct counter_setting twice[] = {{.slot = 1, .code = 0xc0}, {.slot = 1, .code = 0x3c}};
    const struct counter_setting interrupting[] = {{.slot = 1, .code = 0xc0 | BIT(20)}};
    const struct counter_setting any_thread[] = {{.slot = 1, .code = 0x3c | BIT(21)}};
    const struct counter_setting second_mask[] = {{.slot = 1, .code = 0x12 | BIT(40)}};
    const struct counter_setting stranger[] = {{.slot = 1, .code = 0xc0, .extra = 0x1a4, .extra_value = 15}};
    const struct counter_setting reserved[] = {{.slot = 1, .code = 0x1b7, .extra = 0x1a6, .extra_value = BIT(60)}};
    const struct counter_setting rivals[] = {{.slot = 1, .code = 0x1c6, .extra = 0x3f7, .extra_value = 0x11},
                                             {.slot = 2, .code = 0x1c6, .extra = 0x3f7, .extra_value = 0x12}};
    const struct counter_setting friends[] = {{.slot = 1, .code = 0x1c6, .extra = 0x3f7, .extra_value = 0x11},
                                              {.slot = 2, .code = 0x2c6, .extra = 0x3f7, .extra_value = 0x11}};

    (void)unused;
    be(&skylake);
    assert_string_equal(refused(fourth_of_two, 1), "this core has no such counter");
    assert_string_equal(refused(far, 1), "this core has no such counter");
    assert_string_equal(refused(twice, 2), "one counter cannot count two events at once");
    assert_string_equal(refused(interrupting, 1), "an event has bits that IA32_PERFEVTSELn of this core does not have");
    assert_string_equal(refused(second_mask, 1), "an event has bits that IA32_PERFEVTSELn of this core does not have");
    assert_string_equal(refused(stranger, 1),
                        "an event needs a register that is not on the list of those that may be written");
    assert_string_equal(refused(reserved, 1), "MSR_OFFCORE_RSP_n (0x1a6) cannot be written");
    assert_string_equal(refused(rivals, 2), "two events need different values of a register that they share");
    assert_null(counters_program(&a, &have, friends, 2, &state));
    assert_true(counters_restore(&a, &have, &state));
    assert_null(counters_program(&a, &have, any_thread, 1, &state));
    assert_true(counters_restore(&a, &have, &state));
    be(&lion_cove);
    assert_string_equal(refused(any_thread, 1), "an event has bits that IA32_PERFEVTSELn of this core does not have");
    assert_null(counters_program(&a, &have, second_mask, 1, &state));
    assert_true(counters_restore(&a, &have, &state));
    model_assert_as_found(&m);
}

/* ---- The events of every known core ------------------------------------------------------------- */

static void become_known(const char *name, const struct event_core *core)
{
    (void)name;
    be(events_slots(core) & BIT(4) ? &lion_cove : &skylake);
}

static void every_event_of_intels_cores_can_be_programmed(void **unused)
{
    (void)unused;
    /* three events are for a fixed counter that Lion Cove does not have */
    every_known_event_can_be_programmed(COUNTERS_INTEL, become_known, 1000, 3);
}

/* ---- The verdict ------------------------------------------------------------------------------- */

static void verdicts(void **unused)
{
    const struct counter_proof instructions = {.counts = COUNTS_INSTRUCTIONS};
    const struct counter_proof cycles = {.counts = COUNTS_SOMETHING};

    (void)unused;
    assert_null(counters_proof_verdict(&instructions, 100000, 1007, 101007, 0));
    assert_null(counters_proof_verdict(&instructions, 100000, 1007, 101900, 0));
    assert_string_equal(counters_proof_verdict(&instructions, 100000, 1007, 102008, 0),
                        "does not count the instructions that are executed");
    assert_string_equal(counters_proof_verdict(&instructions, 100000, 1007, 100006, 0),
                        "does not count the instructions that are executed");
    assert_null(counters_proof_verdict(&cycles, 100000, 300, 25000, 0));
    assert_string_equal(counters_proof_verdict(&cycles, 100000, 0, 0, 0), "stands still");
    assert_string_equal(counters_proof_verdict(&cycles, 100000, 300, 300, 0), "counts no more for a longer kernel");
    assert_string_equal(counters_proof_verdict(&cycles, 100000, 300, 900, 5), "counts while it is stopped");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_each_generation_has),
        cmocka_unit_test(believes_a_performance_core_that_announces_all),
        cmocka_unit_test(believes_a_performance_core_whose_others_fault),
        cmocka_unit_test(every_counter_counts),
        cmocka_unit_test(a_selector_that_lies_is_found_out),
        cmocka_unit_test(a_selector_that_ignores_writes_is_named),
        cmocka_unit_test(writes_in_the_manuals_order),
        cmocka_unit_test(version_1_starts_by_its_selectors),
        cmocka_unit_test(everything_is_put_back_whatever_faults),
        cmocka_unit_test(says_which_register_faults),
        cmocka_unit_test(a_wrong_cpuid_is_reported),
        cmocka_unit_test(missing_counters_are_reported),
        cmocka_unit_test(leaves_counters_in_use_alone),
        cmocka_unit_test(thaws_what_is_frozen),
        cmocka_unit_test(clears_overflows_of_its_own_only),
        cmocka_unit_test(reports_a_count_that_cannot_be_put_back),
        cmocka_unit_test(warms_nehalems_counters_up),
        cmocka_unit_test(warms_no_counter_up_that_is_not_ours),
        cmocka_unit_test(takes_counter_3_back_from_transactions),
        cmocka_unit_test(refuses_what_cannot_be),
        cmocka_unit_test(every_event_of_intels_cores_can_be_programmed),
        cmocka_unit_test(verdicts),
    };

    return cmocka_run_group_tests_name("counters_intel", tests, NULL, NULL);
}
