/* Prefetcher switches of x86-64 cores, on modelled register files of every family. */
/* link: arch/control.c arch/access.c arch/x86_64/cpu.c arch/x86_64/prefetch.c arch/x86_64/frequency.c */
/* link: arch/x86_64/control.c arch/x86_64/quirks.c arch/x86_64/identify.c tests/registers/model.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/control_sources.h"
#include "tests/unit/control_x86_64.h"

/* What "off" has to write, register after register: these and no other bits, whatever else they hold. */
struct expected {
    uint32_t id;
    uint64_t mask, off;
};

enum { EXPECTED = 4 };

#define BIT(n) (1ull << (n))

/*
 * Where the models have their bits from, beside the sources of arch/x86_64/prefetch.c:
 *   LIKWID  RRZE-HPC/likwid, src/cpuFeatures.c, src/sysFeatures_intel_prefetcher.c, src/sysFeatures_amd.c, 2026-06
 *   Linux   arch/x86/kernel/cpu/resctrl/pseudo_lock.c, resctrl_arch_get_prefetch_disable_bits
 *   TUD     arXiv 2204.03290, which measured on Zen 2 what the bits do, as RRZE-HPC/likwid, issue 456, has it
 */
static const struct core_family {
    const char *name;
    char vendor;
    uint32_t signature, core; /* CPUID.01H:EAX, CPUID.1AH:EAX */
    bool announced;           /* CPUID.80000021H:EAX[13] */
    const char *from;         /* what the model was written from */
    bool same;                /* some of that is what the code cites too */
    struct expected expected[EXPECTED];
} families[] = {
    {"Core 2", 'I', 0x10676, 0, false, "LIKWID", false, {{0x1a0, 0xa000080200, 0xa000080200}}},
    {"Nehalem", 'I', 0x106a5, 0, false, "LIKWID", false, {{0x1a4, 0xf, 0xf}}},
    {"Sandy Bridge", 'I', 0x206a7, 0, false, "LIKWID", false, {{0x1a4, 0xf, 0xf}}},
    {"Broadwell", 'I', 0x406f1, 0, false, "LIKWID; Linux", false, {{0x1a4, 0xf, 0xf}}},
    {"Skylake", 'I', 0x506e3, 0, false, "LIKWID", false, {{0x1a4, 0xf, 0xf}}},
    {"Cascade Lake", 'I', 0x50657, 0, false, "LIKWID", false, {{0x1a4, 0xf, 0xf}}},
    {"Tiger Lake", 'I', 0x806c1, 0, false, "LIKWID", false, {{0x1a4, 0xf, 0xf}}},
    {"Alder Lake P", 'I', 0x90672, 0x40000001, false, "LIKWID; CoreFreq", true, {{0x1a4, 0x2f, 0x2f}}},
    {"Alder Lake E",
     'I',
     0x90672,
     0x20000001,
     false,
     "dPF",
     true,
     {{0x1a4, 0x3d, 0x3d}, {0x1320, BIT(43), BIT(43)}, {0x1321, BIT(40), BIT(40)}}},
    {"Sapphire Rapids",
     'I',
     0x806f8,
     0,
     false,
     "LIKWID; PerfSpect",
     true,
     {{0x1a4, 0x3f, 0x3f}, {0x6d, BIT(42) | BIT(14), BIT(42) | BIT(14)}}},
    {"Granite Rapids",
     'I',
     0xa06d1,
     0,
     false,
     "PerfSpect",
     true,
     {{0x1a4, 0xff, 0xff}, {0x6d, BIT(42) | BIT(14), BIT(42) | BIT(14)}}},
    {"Meteor Lake P", 'I', 0xa06a4, 0x40000002, false, "CoreFreq", true, {{0x1a4, 0x1ff, 0x1ff}}},
    {"Meteor Lake E",
     'I',
     0xa06a4,
     0x20000002,
     false,
     "dPF",
     true,
     {{0x1a4, 0x1ff, 0x1ff}, {0x1320, BIT(43), BIT(43)}, {0x1321, BIT(40), BIT(40)}}},
    {"Arrow Lake U P", 'I', 0xb0650, 0x40000002, false, "CoreFreq", true, {{0x1a4, 0x1ff, 0x1ff}}},
    {"Arrow Lake P", 'I', 0xc0662, 0x40000003, false, "CoreFreq", true, {{0x1a4, 0x1ff, 0x1ff}}},
    {"Arrow Lake H P", 'I', 0xc0652, 0x40000003, false, "CoreFreq", true, {{0x1a4, 0x1ff, 0x1ff}}},
    {"Lunar Lake P", 'I', 0xb06d1, 0x40000003, false, "CoreFreq", true, {{0x1a4, 0x1ff, 0x1ff}}},
    {"Lunar Lake E",
     'I',
     0xb06d1,
     0x20000003,
     false,
     "dPF",
     true,
     {{0x1a4, 0x1ff, 0x1ff}, {0x1320, BIT(43), BIT(43)}, {0x1321, BIT(40), BIT(40)}}},
    {"Silvermont", 'I', 0x406d8, 0, false, "CoreFreq", true, {{0x1a4, 0x5, 0x5}}},
    {"Goldmont", 'I', 0x506c9, 0, false, "Linux", false, {{0x1a4, 0x5, 0x5}}},
    {"Knights Landing", 'I', 0x50671, 0, false, "LIKWID", false, {{0x1a4, 0x3, 0x3}}},
    {"family 10H", 'A', 0x100f42, 0, false, "CoreFreq", true, {{0xc0011022, BIT(13), BIT(13)}}},
    {"Bulldozer",
     'A',
     0x600f12,
     0,
     false,
     "CoreFreq",
     true,
     {{0xc0011022, BIT(13), BIT(13)}, {0xc001102b, 0x70008, 0x70008}}},
    {"Zen 1", 'A', 0x800f11, 0, false, "xmrig", true, {{0xc0011022, BIT(16), BIT(16)}, {0xc001102b, 1, 0}}},
    {"Zen 2", 'A', 0x830f10, 0, false, "TUD", false, {{0xc0011022, BIT(16), BIT(16)}, {0xc001102b, 1, 0}}},
    {"Zen 3", 'A', 0xa00f11, 0, true, "LIKWID", false, {{0xc0000108, 0x2f, 0x2f}}},
    {"Zen 4", 'A', 0xa10f11, 0, true, "LIKWID", false, {{0xc0000108, 0x2f, 0x2f}}},
    {"Zen 5", 'A', 0xb00f21, 0, true, "LIKWID", false, {{0xc0000108, 0x2f, 0x2f}}},
};

/* What else is in the registers, and has to stay: each bit once set and once not. */
static const uint64_t OTHERS = 0x5a5a5a5a5a5a5a5a;

/* Every register of the family; whatever it does not list fails the test. */
static void family(const struct core_family *f, uint64_t others)
{
    processor(f->vendor, f->signature, f->core);
    if (f->announced)
        model_cpuid(&m, 0x80000000, 0, 0x80000022, 0, 0, 0), model_cpuid(&m, 0x80000021, 0, 1 << 13, 0, 0, 0);
    for (const struct expected *e = f->expected; e < f->expected + EXPECTED && e->id; e++)
        model_register(&m, "R", e->id, others, UINT64_MAX)->allowed = e->mask;
}

static void switches_off_what_each_family_has(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof families / sizeof families[0]; i++) {
        const struct core_family *f = &families[i / 2];
        family(f, i % 2 ? OTHERS : ~OTHERS);
        start();
        c.risky = true;
        const char *wrong = control_prefetch(&c, "off", why, sizeof why);
        if (wrong)
            fail_msg("%s: %s", f->name, wrong);
        for (const struct expected *e = f->expected; e < f->expected + EXPECTED && e->id; e++)
            if ((model_at(&m, e->id)->value & e->mask) != e->off)
                fail_msg("%s: register 0x%x is not switched off", f->name, (unsigned)e->id);
        assert_true(control_finish(&c));
        model_assert_as_found(&m);
    }
}

static void names_the_sources_of_each_family(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        family(&families[i], 0);
        start();
        assert_true(c.switch_count > 0);
        check_sources(&c, families[i].name);
        check_model_source(&c, families[i].name, families[i].from, families[i].same);
    }
}

/* The switch of this name. */
static const struct control_switch *named(const char *name)
{
    for (size_t i = 0; i < c.switch_count; i++)
        if (!strcmp(c.switches[i].name, name))
            return &c.switches[i];
    fail_msg("there is no switch %s", name);
    return NULL;
}

/* What belongs to the second level is not the core's own where cores share that level, and on AMD nowhere. */
static void knows_what_a_switch_is_in_force_for(void **state)
{
    static const struct {
        const char *family, *name;
        int scope;
    } cases[] = {
        {"Nehalem", "l2-stream", SCOPE_CORE},
        {"Silvermont", "l2-stream", SCOPE_CORE},
        {"Goldmont", "l2-stream", SCOPE_MODULE},
        {"Goldmont", "l1d-next", SCOPE_CORE},
        {"Lunar Lake E", "l2-amp", SCOPE_MODULE},
        {"Bulldozer", "l2", SCOPE_MODULE},
        {"Zen 2", "l2", SCOPE_MODULE},
        {"Zen 2", "l1d", SCOPE_CORE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t f = 0; f < sizeof families / sizeof families[0]; f++)
            if (!strcmp(families[f].name, cases[i].family))
                family(&families[f], 0);
        start();
        assert_int_equal(named(cases[i].name)->scope, cases[i].scope);
    }
}

/* Of Lion Cove's switches only those that every Core has are turned unasked. */
static void leaves_what_is_not_documented_for_lion_cove(void **state)
{
    (void)state;
    processor('I', 0xb06d1, 0x40000003);
    model_register(&m, "R", 0x1a4, 0, UINT64_MAX)->allowed = 0x1f;
    start();
    assert_non_null(strstr(control_prefetch(&c, "off", why, sizeof why), "l2-amp: its vendor does not document it"));
    assert_int_equal(model_at(&m, 0x1a4)->value, 0x1f);
    assert_true(control_finish(&c));
    model_assert_as_found(&m);
}

/* Whatever access faults, everything is as it was at the end. */
static void puts_back_after_a_fault_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof families / sizeof families[0]; i++) {
        const struct core_family *f = &families[i / 2];
        const uint64_t others = i % 2 ? OTHERS : ~OTHERS;
        size_t accesses;

        family(f, others);
        start();
        c.risky = true;
        size_t started = m.accesses;
        assert_null(control_prefetch(&c, "off", why, sizeof why));
        accesses = m.accesses;
        for (size_t at = started + 1; at <= accesses; at++) {
            family(f, others);
            start();
            c.risky = true;
            m.fault_at = at;
            const char *wrong = control_prefetch(&c, "off", why, sizeof why);
            assert_non_null(wrong);
            m.fault_at = 0;
            assert_true(control_finish(&c));
            model_assert_as_found(&m);
        }
    }
}

static void reads_as_found(void **state)
{
    (void)state;
    family(&families[1], 0xf0);
    model_at(&m, 0x1a4)->value = 0xf2; /* firmware has l2-adjacent off */
    start();
    assert_int_equal(c.switch_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(c.switches[i].is_off, i == 1);
    assert_null(control_prefetch(&c, "l2-adjacent=on,L1D-ip=OFF", why, sizeof why));
    model_assert_writes(&m, "w R f0\nw R f8\n");
    assert_true(control_finish(&c));
    model_assert_as_found(&m);
}

static void says_what_is_wrong_with_a_setting(void **state)
{
    (void)state;
    family(&families[1], 0xf0);
    start();
    assert_null(control_prefetch(&c, "as-found", why, sizeof why));
    assert_string_equal(control_prefetch(&c, "l3=off", why, sizeof why),
                        "l3: there is no such switch; this core has l2-stream, l2-adjacent, l1d-next, l1d-ip");
    assert_string_equal(control_prefetch(&c, "l1d-ip=maybe", why, sizeof why),
                        "l1d-ip=maybe: is neither as-found, nor off, nor NAME=off or NAME=on");
    /* what can be done is done nevertheless */
    assert_non_null(control_prefetch(&c, "l3=off,l1d-ip=off", why, sizeof why));
    assert_true(model_at(&m, 0x1a4)->value >> 3 & 1);
    assert_true(control_finish(&c));
    model_assert_as_found(&m);

    char small[16]; /* what does not fit is cut */
    assert_ptr_equal(control_prefetch(&c, "l3=off,l4=off", small, sizeof small), small);
    assert_int_equal(strlen(small), sizeof small - 1);
}

/* Zen 4 and Zen 5 alone, that bit and no other, whatever access faults; and prefetch = off leaves it alone (above). */
static void turns_the_op_cache_of_cores_that_let_it(void **state)
{
    enum { IC_CFG = 0xc0011021, BIT = 1 << 5 };

    (void)state;
    for (size_t i = 0; i < 2 * sizeof families / sizeof families[0]; i++) {
        const struct core_family *f = &families[i / 2];
        const bool has = !strcmp(f->name, "Zen 4") || !strcmp(f->name, "Zen 5");
        for (size_t fault_at = 0; fault_at < 8; fault_at++) {
            family(f, i % 2 ? OTHERS : ~OTHERS);
            model_register(&m, "IC_CFG", IC_CFG, i % 2 ? OTHERS & ~(uint64_t)BIT : ~(OTHERS | BIT), UINT64_MAX)
                ->allowed = BIT;
            start();
            assert_int_equal(control_op_cache(&a) != NULL, has);
            assert_non_null(control_switch_op_cache(&c, true)); /* not without being asked for */
            model_assert_as_found(&m);
            c.risky = true;
            m.fault_at = fault_at ? m.accesses + fault_at : 0;
            const char *wrong = control_switch_op_cache(&c, true);
            m.fault_at = 0;
            if (has && !wrong)
                assert_true(model_at(&m, IC_CFG)->value & BIT);
            if (!has)
                model_assert_as_found(&m);
            assert_true(fault_at || (wrong == NULL) == has);
            assert_true(control_finish(&c));
            model_assert_as_found(&m);
        }
    }
    processor('A', 0xb00f21, 0);
    model_register(&m, "IC_CFG", IC_CFG, 0, UINT64_MAX)->kind = MODEL_IGNORES;
    start();
    c.risky = true;
    assert_string_equal(control_switch_op_cache(&c, true), "IC_CFG (0xc0011021) ignores what is written");
}

/* A hypervisor takes the write and does nothing; or there is no such register. */
static void says_what_has_no_effect(void **state)
{
    (void)state;
    family(&families[1], 0xf0);
    model_at(&m, 0x1a4)->kind = MODEL_IGNORES;
    model_at(&m, 0x1a4)->value = 0;
    start();
    assert_string_equal(control_prefetch(&c, "l1d-ip=off", why, sizeof why),
                        "l1d-ip: MSR_MISC_FEATURE_CONTROL (0x1a4) ignores what is written");
    assert_true(control_finish(&c));

    processor('I', 0x106a5, 0);
    start();
    assert_string_equal(control_prefetch(&c, "l1d-ip=off", why, sizeof why), "l1d-ip: its register cannot be read");
}

static void knows_no_switches_of_unknown_cores(void **state)
{
    (void)state;
    processor('I', 0x606f0 | 0xd0000, 0); /* no such model */
    start();
    assert_int_equal(c.switch_count, 0);
    assert_string_equal(control_prefetch(&c, "off", why, sizeof why),
                        "off: no prefetcher switch is known for this core");
    processor('A', 0xa00f11, 0); /* Zen 3 that does not announce the register */
    start();
    assert_string_equal(control_prefetch(&c, "off", why, sizeof why),
                        "off: CPUID does not announce this core's prefetcher switches");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_off_what_each_family_has),
        cmocka_unit_test(names_the_sources_of_each_family),
        cmocka_unit_test(knows_what_a_switch_is_in_force_for),
        cmocka_unit_test(leaves_what_is_not_documented_for_lion_cove),
        cmocka_unit_test(puts_back_after_a_fault_anywhere),
        cmocka_unit_test(reads_as_found),
        cmocka_unit_test(says_what_is_wrong_with_a_setting),
        cmocka_unit_test(turns_the_op_cache_of_cores_that_let_it),
        cmocka_unit_test(says_what_has_no_effect),
        cmocka_unit_test(knows_no_switches_of_unknown_cores),
    };

    return cmocka_run_group_tests_name("switches x86_64", tests, NULL, NULL);
}
