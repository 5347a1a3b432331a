/* Events of every known core: consistent tables, the vendors' names and codes, and an event for every need. */
/* link: lib/counters/events.c lib/counters/events/intel.c lib/counters/events/intel_names.c lib/counters/events/amd.c lib/counters/events/arm.c */
/* link: lib/counters/events/apple.c build/events/x86_64.c build/events/aarch64.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/counters/events.h"

enum { CORES = 128, EVENTS = 1024 };

static const char *cores[CORES];
static size_t core_count;

static int find_cores(void **state)
{
    (void)state;
    core_count = events_cores(cores, CORES);
    return 0;
}

static struct event find(const char *core, const char *text)
{
    struct event e = {.code = UINT64_MAX};
    char why[256];

    if (!events_find(events_core(core), COUNTERS_NONE, text, &e, why, sizeof why))
        fail_msg("%s: %s: %s", core, text, why);
    return e;
}

static const char *refused(const char *core, enum counters_kind kind, const char *text)
{
    static char why[256];
    struct event e;

    if (events_find(core ? events_core(core) : NULL, kind, text, &e, why, sizeof why))
        fail_msg("%s was taken for %s", text, e.name);
    return why;
}

/* ---- Tables ------------------------------------------------------------------------------------------ */

/*
 * The most slots that a core of the kind can have: SDM vol. 3B, 20.2; APM vol. 2, 13.2.1; DDI 0487, D13; Apple's ten.
 */
static uint64_t most_slots(enum counters_kind kind)
{
    switch (kind) {
    case COUNTERS_INTEL: return 0x7f000003ff;
    case COUNTERS_AMD: return 0x3f;
    case COUNTERS_PMUV3: return 0x37fffffff;
    default: return 0x3ff;
    }
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void every_event_has_a_counter_of_its_core(void **state)
{
    static char names[EVENTS][EVENT_NAME];
    static const char *sorted[EVENTS];
    size_t all = 0;

    (void)state;
    assert_in_range(core_count, 70, CORES - 1);
    for (size_t c = 0; c < core_count; c++) {
        const struct event_core *core = events_core(cores[c]);
        struct event e;
        const char *need;
        size_t count = 0;
        assert_non_null(core);
        assert_string_equal(events_name(core), cores[c]);
        for (size_t i = 0; events_at(core, i, &e, &need); i++) {
            /* Of family 15h the north bridge counts some itself: libpfm4 lists them with the core's. */
            unsigned number = (unsigned)(e.code & 0xff) | (unsigned)(e.code >> 24 & 0xf00);
            bool north_bridge = events_kind(core) == COUNTERS_AMD && (number & 0xee0) == 0x0e0;
            if (!e.demand.slots && !north_bridge)
                fail_msg("%s: no counter counts %s", cores[c], e.name);
            if (e.demand.slots & ~most_slots(events_kind(core)))
                fail_msg("%s: %s on counters that there cannot be: %llx", cores[c], e.name,
                         (unsigned long long)e.demand.slots);
            if (e.demand.slots && !(e.demand.slots & events_slots(core)))
                fail_msg("%s: %s cannot be planned", cores[c], e.name);
            assert_true(e.source && *e.source);
            assert_true(strlen(e.name) < EVENT_NAME - 12); /* there is room for modifiers behind it */
            if (need)
                continue;
            assert_in_range(count, 0, EVENTS - 1);
            snprintf(names[count], EVENT_NAME, "%s", e.name);
            sorted[count] = names[count];
            count++;
        }
        qsort(sorted, count, sizeof *sorted, compare);
        for (size_t i = 1; i < count; i++)
            if (!strcmp(sorted[i], sorted[i - 1]))
                fail_msg("%s has %s twice", cores[c], sorted[i]);
        all += count;
    }
    assert_in_range(all, 8000, 20000);
}

static void every_name_is_found_as_listed(void **state)
{
    (void)state;
    for (size_t c = 0; c < core_count; c++) {
        const struct event_core *core = events_core(cores[c]);
        struct event e, again;
        const char *need;
        char why[256];
        for (size_t i = 0; events_at(core, i, &e, &need); i++) {
            if (need || !e.demand.slots)
                continue;
            if (!events_find(core, COUNTERS_NONE, e.name, &again, why, sizeof why))
                fail_msg("%s: %s", cores[c], why);
            assert_true(again.code == e.code && again.demand.slots == e.demand.slots &&
                        again.demand.value == e.demand.value);
        }
    }
}

/* ---- Needs ------------------------------------------------------------------------------------------- */

static bool is_need(const char *name)
{
    for (size_t i = 0; i < event_need_count; i++)
        if (!strcmp(event_needs[i].name, name))
            return true;
    return false;
}

/* AMD's unit masks are bits that may be set together: a code is known when each of its bits is listed. */
static bool is_sum_of_listed(const struct event_core *core, const struct event *sum)
{
    uint64_t bits = sum->code & 0xff00;
    struct event e;
    const char *need;

    for (size_t i = 0; events_at(core, i, &e, &need); i++)
        if (!need && (e.code & ~(uint64_t)0xff00) == (sum->code & ~(uint64_t)0xff00) && (sum->code & e.code) == e.code)
            bits &= ~e.code;
    return events_kind(core) == COUNTERS_AMD && bits == 0;
}

static void every_need_has_its_event(void **state)
{
    (void)state;
    for (size_t c = 0; c < core_count; c++) {
        const struct event_core *core = events_core(cores[c]);
        struct event e;
        const char *need;
        for (size_t i = 0; events_at(core, i, &e, &need) && need; i++) {
            struct event found = find(cores[c], need);
            assert_true(found.code == e.code && found.name[0]);
            if (!is_need(need))
                fail_msg("%s: the need %s is not on the list", cores[c], need);
            if (found.name[0] == '0' && !is_sum_of_listed(core, &found))
                fail_msg("%s: %s is %s, which is on no list", cores[c], need, found.name);
        }
        find(cores[c], "cycles");
        find(cores[c], "instructions");
        find(cores[c], "mispredicts");
    }
}

/* ---- Codes, copied here from the vendors' lists ----------------------------------------------------------- */

static void encodings_are_those_of_the_vendors(void **state)
{
    /* Intel: perfmon (2026-08) of Haswell, Skylake, Ice Lake, Alder Lake, Arrow Lake. AMD: Linux 6.12, amdzen1 … 5.
       Arm: DDI 0487, D13. Apple: Linux, apple_m1_cpu_pmu.c; M3 and M4, Apple's lists. */
    static const struct {
        const char *core, *event;
        uint64_t code, slots;
    } known[] = {
        {"haswell", "uops_issued.any", 0x10e, 0xff},
        {"haswell", "l1d_pend_miss.pending", 0x148, 0x4},
        {"haswell", "machine_clears.count", 0x10401c3, 0xff},
        {"haswell", "baclears.any", 0x1fe6, 0xff},
        {"skylake", "uops_issued.any", 0x10e, 0xff},
        {"skylake", "dtlb_load_misses.walk_active", 0x1001008, 0xff},
        {"skylake", "mem_load_retired.l1_miss", 0x8d1, 0xf},
        {"skylake", "inst_retired.prec_dist", 0x1c0, 0x2},
        {"skylake", "br_misp_retired.conditional", 0x1c5, 0xff},
        {"sunny-cove", "idq.dsb_uops", 0x879, 0xf},
        {"sunny-cove", "br_misp_retired.cond", 0x11c5, 0xff},
        {"sunny-cove", "lsd.uops", 0x1a8, 0xf},
        {"sunny-cove", "uops_dispatched.port_0", 0x1a1, 0xff},
        {"golden-cove", "uops_issued.any", 0x1ae, 0xff},
        {"golden-cove", "lsd.uops", 0x1a8, 0xff},
        {"golden-cove", "idq.ms_uops", 0x2079, 0xf},
        {"golden-cove", "baclears.any", 0x160, 0xf},
        {"golden-cove", "br_misp_retired.ret", 0x8c5, 0xff},
        {"golden-cove", "uops_dispatched.port_0", 0x1b2, 0xff},
        {"golden-cove", "ld_blocks.store_forward", 0x8203, 0xf},
        {"golden-cove", "arith.div_active", 0x10009b0, 0xff},
        {"golden-cove", "topdown.slots", 0x400, 0x800000000},
        {"golden-cove", "cpu_clk_unhalted.ref_tsc", 0x300, 0x400000000},
        {"golden-cove", "instructions", 0xc0, 0x1000000ff},
        {"golden-cove", "cycles", 0x3c, 0x2000000ff},
        {"lion-cove", "uops_executed.thread", 0x1b1, 0x8},
        {"lion-cove", "br_misp_retired.cond", 0x100000011c5, 0x3ff},
        {"lion-cove", "mem_load_retired.l1_hit", 0x100000001d1, 0xf},
        {"lion-cove", "dtlb_load_misses.stlb_hit", 0x30000002012, 0x3ff},
        {"lion-cove", "l1d.replacement", 0x551, 0x3ff},
        {"gracemont", "br_misp_retired.cond", 0x7ec5, 0x3f},
        {"gracemont", "uops_issued.any", 0xe, 0x3f},
        {"skymont", "dtlb_load_misses.stlb_hit", 0x2008, 0xff},
        {"skymont", "ld_blocks.store_forward", 0x203, 0xff},
        {"zen1", "ex_ret_cond", 0xd1, 0x3f},
        {"zen2", "ls_bad_status2.stli_other", 0x224, 0x3f},
        {"zen3", "op_cache_hit_miss.op_cache_miss", 0x20000048f, 0x3f},
        {"zen4", "cycles", 0x76, 0x3f},
        {"zen4", "instructions", 0xc0, 0x3f},
        {"zen4", "loop_buffer_ops", 0x4aa, 0x3f},
        {"zen4", "de_no_dispatch_per_slot.backend_stalls", 0x100001ea0, 0x3f},
        {"zen4", "retired_sse_avx_flops.any", 0x1f03, 0x3f},
        {"zen5", "l1d_misses", 0x741, 0x3f},
        {"neoverse-n1", "inst_retired", 0x8, 0x27fffffff},
        {"neoverse-n1", "cpu_cycles", 0x11, 0x17fffffff},
        {"neoverse-n1", "dtlb_walks", 0x34, 0x7fffffff},
        {"neoverse-v1", "ops_retired", 0x3a, 0x7fffffff},
        {"cortex-a72", "l2d_cache_refill", 0x17, 0x7fffffff},
        {"neoverse-v3", "l1d_cache_hwprf", 0x8154, 0x7fffffff},
        {"apple-m1", "retire_uop", 0x1, 0x80},
        {"apple-m1", "inst_all", 0x8c, 0x82},
        {"apple-m1", "core_active_cycle", 0x2, 0x3fd},
        {"apple-m1", "inst_branch", 0x8d, 0xe0},
        {"apple-m1", "inst_ldst", 0x9b, 0x80},
        {"apple-m1", "inst_int_st", 0x96, 0x80},
        {"apple-m1", "branch_cond_mispred_nonspec", 0xc5, 0xe0},
        {"apple-m1", "l1d_tlb_miss", 0xa1, 0x3fc},
        {"apple-m1", "0xf5", 0xf5, 0x54},
        {"apple-m3", "inst_int_st", 0x96, 0xe0},
        {"apple-m3", "map_uop", 0x269, 0x3fc},
        {"apple-m4-p", "retire_uop", 0x3a, 0xfc},
        {"apple-m4-p", "inst_all", 0x8, 0xfe},
        {"apple-m4-p", "l1i_cache_miss_demand", 0x4006, 0x3fc},
        {"apple-m4-p", "inst_int_alu", 0x897, 0x80},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct event e = find(known[i].core, known[i].event);
        if (e.code != known[i].code || e.demand.slots != known[i].slots)
            fail_msg("%s %s: %llx on %llx, but it is %llx on %llx", known[i].core, known[i].event,
                     (unsigned long long)e.code, (unsigned long long)e.demand.slots, (unsigned long long)known[i].code,
                     (unsigned long long)known[i].slots);
    }
}

/*
 * What a mask of counters cannot express: registers that Intel's events share (Linux, intel/core.c), AMD's pairs, Arm's
 * chains.
 */
static void events_have_the_registers_that_they_need_besides(void **state)
{
    struct event e = find("golden-cove", "frontend_retired.any_dsb_miss");
    struct counter_setting set[2];

    (void)state;
    assert_int_equal(e.code, 0x1c6);
    assert_int_equal(e.demand.resource[0], 0x3f7);
    assert_int_equal(e.demand.resource[1], 0);
    assert_int_equal(e.demand.value, 1);
    assert_int_equal(find("lion-cove", "frontend_retired.any_dsb_miss").code, 0x3c6);
    assert_int_equal(find("lion-cove", "frontend_retired.any_dsb_miss").demand.resource[0], 0x3f7);
    assert_int_equal(find("golden-cove", "uops_retired.ms").demand.value, 8);

    e = find("skylake", "offcore_response_0.dmnd_data_rd");
    assert_true(e.demand.value != 0);
    assert_int_equal(e.demand.resource[0], 0x1a6);
    assert_int_equal(e.demand.resource[1], 0x1a7);
    assert_int_equal(events_settings(&e, &(struct place){.slot = 2, .resource = 0x1a6}, set), 1);
    assert_int_equal(set[0].code, 0x1b7);
    assert_int_equal(events_settings(&e, &(struct place){.slot = 3, .resource = 0x1a7}, set), 1);
    assert_int_equal(set[0].code, 0x1bb);
    assert_int_equal(set[0].slot, 3);
    assert_int_equal(set[0].extra, 0x1a7);
    assert_true(set[0].extra_value == e.demand.value);

    e = find("zen4", "retired_sse_avx_flops.any");
    assert_int_equal(e.demand.width, 2);
    assert_int_equal(events_settings(&e, &(struct place){.slot = 4}, set), 1);
    assert_true(set[0].code == 0x1f03 && set[0].slot == 4);

    e = find("neoverse-n1", "inst_retired:chain");
    assert_int_equal(e.demand.width, 2);
    assert_int_equal(events_settings(&e, &(struct place){.slot = 2}, set), 2);
    assert_true(set[0].code == 0x8 && set[1].code == 0x1e && set[1].slot == 3);
}

/* ---- Events as people write them -------------------------------------------------------------------------- */

static void numbers_and_modifiers_are_understood(void **state)
{
    (void)state;
    assert_int_equal(find("skylake", "r01c2").code, 0x1c2);
    assert_int_equal(find("skylake", "0x1C2").code, 0x1c2);
    assert_int_equal(find("skylake", "UOPS_ISSUED.ANY").code, 0x10e);
    assert_int_equal(find("skylake", "uops_issued:any").code, 0x10e);
    assert_int_equal(find("skylake", "uops_issued.any:c=1:i").code, 0x180010e);
    assert_int_equal(find("skylake", "uops_issued:any:c=0x2:e").code, 0x204010e);
    assert_string_equal(find("skylake", "uops_issued:any:c=1:i").name, "uops_issued.any:c=1:i");
    assert_int_equal(find("skylake", "machine_clears.count:e=0").code, 0x10001c3);
    assert_int_equal(find("skylake", "ops_issued:c=4").code, 0x400010e);
    /* A code has the constraints of the event that it is. */
    assert_int_equal(find("lion-cove", "0x1b1").demand.slots, 0x8);
    assert_string_equal(find("lion-cove", "0x1b1").name, "uops_executed.thread");
    assert_int_equal(find("lion-cove", "0x1b1:c=1").demand.slots, 0x8);
    /* Fixed counters know no modifiers. */
    assert_int_equal(find("skylake", "cycles:c=1").demand.slots, 0xff);
    refused("skylake", COUNTERS_NONE, "reference_cycles:c=1");
    /* One register value for an event that needs it. */
    assert_int_equal(find("skylake", "0x1b7:x=0x10001").demand.value, 0x10001);
    assert_non_null(strstr(refused("skylake", COUNTERS_NONE, "0x1b7"), ":x="));
    assert_non_null(strstr(refused("skylake", COUNTERS_NONE, "uops_issued.any:x=1"), "needs none"));
    /* USR and EN are no part of the event. */
    assert_non_null(strstr(refused("skylake", COUNTERS_NONE, "0x4101c2"), "0x410000"));
    refused("zen4", COUNTERS_NONE, "0x10000000076"); /* guest only */
    assert_int_equal(find("zen4", "0x28f").code, 0x28f);
    refused("apple-m1", COUNTERS_NONE, "0x101");
    refused("apple-m1", COUNTERS_NONE, "inst_all:c=1");
    refused("neoverse-n1", COUNTERS_NONE, "inst_retired:c=1");
    refused("zen4", COUNTERS_NONE, "cycles:c=200"); /* seven bits */
    refused("zen4", COUNTERS_NONE, "retired_sse_avx_flops.any:c=1");
}

static void mistakes_are_reported(void **state)
{
    char text[400];

    (void)state;
    assert_non_null(strstr(refused("skylake", COUNTERS_NONE, "uops_isued.any"), "uops_issued.any"));
    assert_non_null(strstr(refused("zen4", COUNTERS_NONE, "instrutions"), "instructions"));
    assert_non_null(strstr(refused("apple-m1", COUNTERS_NONE, "tlb_miss"), "l1d_tlb_miss"));
    assert_non_null(strstr(refused("neoverse-n1", COUNTERS_NONE, "loop_buffer_ops"), "need"));
    refused("skylake", COUNTERS_NONE, "");
    refused("skylake", COUNTERS_NONE, ":");
    refused("skylake", COUNTERS_NONE, "uops_issued.any:c=");
    refused("skylake", COUNTERS_NONE, "uops_issued.any:c=1000");
    refused("skylake", COUNTERS_NONE, "uops_issued.any:i=2");
    refused("skylake", COUNTERS_NONE, "uops_issued.any:c=1:c=1:c=1:c=1:c=1:c=1:c=1:c=1:c=1");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    refused("skylake", COUNTERS_NONE, text);
    assert_null(events_core("no-such-core"));
    refused(NULL, COUNTERS_NONE, "cycles");
}

/* A core without a table has what its architecture promises, and numbers. */
static void unknown_cores_have_architectural_events(void **state)
{
    struct event e;
    char why[256];

    (void)state;
    assert_true(events_find(NULL, COUNTERS_INTEL, "instructions", &e, why, sizeof why));
    assert_int_equal(e.code, 0xc0);
    assert_true(events_find(NULL, COUNTERS_INTEL, "0x1ab", &e, why, sizeof why));
    assert_true(events_find(NULL, COUNTERS_AMD, "cycles", &e, why, sizeof why));
    assert_int_equal(e.code, 0x76);
    assert_true(events_find(NULL, COUNTERS_PMUV3, "l1d_cache_refill", &e, why, sizeof why));
    assert_int_equal(e.code, 0x3);
    refused(NULL, COUNTERS_INTEL, "uops_issued.any");
}

/* Any text is accepted or refused, without reading out of bounds. */
static void any_text_is_accepted_or_refused_with_a_reason(void **state)
{
    static const char letters[] = "cxier0123456789abcdef:=._, \n\t%uops_issued";
    uint64_t random = 5;

    (void)state;
    for (unsigned trial = 0; trial < 3000; trial++) {
        char text[140], why[120];
        struct event e;
        size_t length = random_next(&random) % (sizeof text - 1);
        for (size_t i = 0; i < length; i++)
            text[i] = trial % 3 ? letters[random_next(&random) % (sizeof letters - 1)] : (char)random_next(&random);
        text[length] = 0;
        const char *core = cores[random_next(&random) % core_count];
        memset(why, 'x', sizeof why);
        if (events_find(events_core(core), COUNTERS_NONE, text, &e, why, sizeof why))
            assert_true(e.demand.slots != 0);
        else
            assert_in_range(strnlen(why, sizeof why), 1, sizeof why - 1);
    }
}

/* ---- Plans -------------------------------------------------------------------------------------------- */

static void all_of_m1_takes_eight_runs(void **state)
{
    static struct demand demands[EVENTS];
    static struct place at[EVENTS];
    const struct event_core *core = events_core("apple-m1");
    struct event e;
    const char *need;
    size_t count = 0, unmet;
    bool least;

    (void)state;
    for (size_t i = 0; events_at(core, i, &e, &need); i++)
        if (!need)
            demands[count++] = e.demand;
    assert_in_range(count, 59, 61);
    /* 24 of them go nowhere but on counters 5, 6 and 7 (Hall's bound). */
    assert_int_equal(allocate(demands, NULL, count, events_slots(core), at, &unmet, &least), 8);
    assert_true(least);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_has_a_counter_of_its_core),
        cmocka_unit_test(every_name_is_found_as_listed),
        cmocka_unit_test(every_need_has_its_event),
        cmocka_unit_test(encodings_are_those_of_the_vendors),
        cmocka_unit_test(events_have_the_registers_that_they_need_besides),
        cmocka_unit_test(numbers_and_modifiers_are_understood),
        cmocka_unit_test(mistakes_are_reported),
        cmocka_unit_test(unknown_cores_have_architectural_events),
        cmocka_unit_test(any_text_is_accepted_or_refused_with_a_reason),
        cmocka_unit_test(all_of_m1_takes_eight_runs),
    };
    return cmocka_run_group_tests(tests, find_cores, NULL);
}
