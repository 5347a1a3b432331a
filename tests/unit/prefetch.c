/* Prefetchers: on a fake core whose prefetchers obey their switches, each effect is attributed to its own switch. */
/* link: probes/memory/prefetch.c arch/emit.c arch/x86_64/emit.c tests/registers/model.c */
/* link: arch/control.c arch/access.c arch/x86_64/cpu.c arch/x86_64/prefetch.c arch/x86_64/frequency.c */
/* link: arch/x86_64/control.c arch/x86_64/quirks.c arch/x86_64/identify.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "lib/base/record.h"
#include "lib/probe/probe.h"
#include "lib/run/plan.h"
#include "tests/records.h"
#include "tests/registers/model.h"
#include "tests/unit/no_counters.h"

/* ---- A core of Nehalem's switches: one level that holds some lines, two of its four prefetchers ----------------- */

const char reader_empty_kernel[1], reader_chain_kernel[1], reader_half_chain_kernel[1], reader_width_kernel[1];

enum { LINE = 64, HOLDS = 512, HIT = 5, MISS = 45, AROUND = 30, SWITCHES = 0x1a4, MEMORY = 48 << 20 };

static struct machine_info info = {
    .platform = "test", .isa = "x86_64", .tick_hz = 1e9, .memory_bytes = MEMORY, .page_bytes = {4096}};
static struct model m;
static struct access a;
static struct control control;
static bool reachable, obeys; /* its switches do something */
static uint64_t now;          /* cycles, and ticks */
static uint8_t *memory;
static size_t mapped;
static uint32_t *brought; /* when each line was brought in, by number of lines brought */
static uint32_t count_brought;

const struct machine_info *machine_info(void)
{
    return &info;
}

struct control *machine_control(const char **why_not)
{
    *why_not = reachable ? NULL : "there are no registers here";
    return reachable ? &control : NULL;
}

const struct machine_core *machine_cores(size_t *count)
{
    static const struct machine_core only;

    *count = 1;
    return &only;
}

const char *machine_use_core(unsigned index)
{
    (void)index;
    return NULL;
}

const char *machine_map(struct area *area, size_t bytes, size_t page_bytes, enum area_use use)
{
    (void)page_bytes, (void)use;
    bytes = (bytes + 4095) / 4096 * 4096;
    if (mapped + bytes > MEMORY)
        return "no memory is left";
    *area = (struct area){
        .write = memory + mapped, .at = (uintptr_t)memory + mapped, .bytes = bytes, .page_bytes = 4096};
    mapped += bytes;
    return NULL;
}

const char *machine_map_frames(struct area *area, const size_t *frames, size_t pages, size_t page_bytes,
                               enum area_use use)
{
    (void)area, (void)frames, (void)pages, (void)page_bytes, (void)use;
    return "no frames are chosen in this test";
}

const char *machine_pages_accessed(const struct area *area, bool *accessed)
{
    (void)area, (void)accessed;
    return "there are no page tables";
}

size_t machine_map_mark(void)
{
    return mapped;
}

void machine_map_release(size_t mark)
{
    mapped = mark;
}

bool machine_touched_outside(struct fault *fault)
{
    (void)fault;
    return false;
}

void machine_code_written(const struct area *area, size_t offset, size_t bytes)
{
    (void)area, (void)offset, (void)bytes;
}

void machine_describe(struct record *r)
{
    (void)r;
}

void machine_describe_environment(struct record *r)
{
    (void)r;
}

void machine_print(const char *text)
{
    (void)text;
}

void machine_print_strong(const char *text)
{
    (void)text;
}

void machine_progress(const char *text)
{
    (void)text;
}

double machine_seconds(void)
{
    return (double)now / info.tick_hz;
}

void machine_date(char out[24])
{
    out[0] = 0;
}

static bool on(unsigned bit)
{
    return !obeys || !(model_at(&m, SWITCHES)->value >> bit & 1);
}

static void bring(uintptr_t line)
{
    if (line < MEMORY / LINE)
        brought[line] = ++count_brought;
}

/* What is not there is missed, and then the two prefetchers bring what they think comes next. */
static unsigned load(uintptr_t line)
{
    if (brought[line] && count_brought - brought[line] < HOLDS)
        return HIT;
    bring(line);
    if (on(1)) /* l2-adjacent */
        bring(line ^ 1);
    if (on(2)) /* l1d-next */
        bring(line + 1);
    return MISS;
}

static uint64_t chase(uint64_t loads, uint64_t start)
{
    uint64_t *at = (uint64_t *)(uintptr_t)start, cycles = 0;

    for (; loads; loads--) {
        cycles += load(((uintptr_t)*at - (uintptr_t)memory) / LINE);
        *at = *(uint64_t *)(uintptr_t)*at;
    }
    return cycles;
}

struct window_result machine_window(struct reading *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t n = list[i].argument[0];
        list[i].begin_ticks = now;
        now += AROUND;
        now += list[i].kernel == (uintptr_t)reader_empty_kernel   ? 0
               : list[i].kernel == (uintptr_t)reader_chain_kernel ? n * READER_CHAIN
               : list[i].kernel == (uintptr_t)reader_width_kernel ? n * READER_WIDTH / 4
                                                                  : chase(n, list[i].argument[1]);
        list[i].end_ticks = now;
    }
    return (struct window_result){.end = WINDOW_RAN};
}

const char *machine_window_kind(struct reading *list, size_t count, enum silence silence, struct window_result *result)
{
    (void)silence;
    *result = machine_window(list, count);
    return NULL;
}

/* ---- One run of the probe --------------------------------------------------------------------------------------- */

static struct records records;
static struct run run;

static int prepare(void **state)
{
    (void)state;
    memset(&m, 0, sizeof m);
    model_cpuid(&m, 0, 0, 0xb, 0x756e6547, 0x6c65746e, 0x49656e69); /* GenuineIntel */
    model_cpuid(&m, 1, 0, 0x106a5, 0, 0, 0);
    model_register(&m, "SWITCHES", SWITCHES, 0, 0xf);
    a = model_access(&m);
    reachable = obeys = true;
    memory = aligned_alloc(4096, MEMORY);
    brought = calloc(MEMORY / LINE, sizeof *brought);
    assert_true(memory && brought);
    count_brought = 0;
    mapped = 0;
    now = 1000;
    return 0;
}

static int clear(void **state)
{
    (void)state;
    records_free(&records);
    free(memory);
    free(brought);
    return 0;
}

static enum outcome run_probe(void)
{
    const struct probe_definition *all[PLAN_PROBES];
    const struct identity_cache caches[] = {{1, HOLDS_DATA, 16 << 10, 8, LINE, "test"},
                                            {2, HOLDS_DATA, 256 << 10, 8, LINE, "test"}};

    facts_forget(&run.facts);
    memset(&run, 0, sizeof run);
    run.trusted = true;
    config_defaults(&run.config);
    writer_start(&run.writer);
    assert_true(writer_add(&run.writer, records_sink(&records)));
    assert_true(facts_declare(&run.facts, caches, 2, NULL, 0));
    assert_int_equal(meter_start(&run.meter, PROFILE_QUICK).end, WINDOW_RAN);
    assert_int_equal(plan_probes(all, PLAN_PROBES), 1);
    if (reachable)
        control_start(&control, &a);
    struct probe p = {.definition = all[0], .run = &run, .random = 1};
    p.definition->run(&p);
    writer_stop(&run.writer);
    model_assert_as_found(&m);
    return p.outcome;
}

/* NaN where there is no such finding. */
static double effect(const char *name, const char *pattern)
{
    const char *line = NULL;

    while ((line = records_find(&records, line, "finding", "switch", name))) {
        const char *found = record_value(line, "pattern", 2), *level = record_value(line, "level", 3);
        if (found && !strcmp(found, pattern) && !strcmp(level, "2"))
            return strtod(record_value(line, "value", 2), NULL);
    }
    return NAN;
}

static const char *reason(const char *name)
{
    const char *line = records_find(&records, NULL, "finding", "switch", name);
    return line ? record_value(line, "reason", 2) : NULL;
}

/* What belongs to the reason. */
static const char *detail(const char *name)
{
    const char *line = records_find(&records, NULL, "finding", "switch", name);
    return line ? record_value(line, "detail", 2) : NULL;
}

static double saved(const char *pattern)
{
    const char *line = NULL;

    while ((line = records_find(&records, line, "finding", "name", "memory.prefetch.saved_percent")))
        if (!strcmp(record_value(line, "pattern", 2), pattern) && !strcmp(record_value(line, "level", 3), "2"))
            return strtod(record_value(line, "value", 2), NULL);
    return NAN;
}

static void assert_near(double value, double expected, double difference)
{
    if (!(fabs(value - expected) <= difference))
        fail_msg("%g should be %g", value, expected);
}

/* Both prefetchers together bring line after line two by two: half of the loads are hits, of pairs and in a row. */
static void each_effect_is_attributed_to_its_switch(void **state)
{
    const double half = (MISS - HIT) / 2.0;

    (void)state;
    assert_int_equal(run_probe(), OUTCOME_OK);
    assert_near(saved("adjacent"), 100 * half / MISS, 1);
    assert_near(saved("next"), 100 * half / MISS, 1);
    assert_near(saved("region"), 0, 1);
    assert_near(saved("next-page"), 0, 1); /* in its control as many lines follow each other */

    assert_near(effect("l1d-next", "next"), half, 0.5);
    assert_true(isnan(effect("l1d-next", "adjacent"))); /* the other one brings those, too */
    assert_true(isnan(effect("l2-adjacent", "next")));
    assert_near(effect("l2-adjacent", "backward"), half, 0.5);
    assert_string_equal(reason("l1d-ip"), "no-effect");
    assert_string_equal(reason("l2-stream"), "no-effect");
    assert_near(effect("all", "adjacent"), half, 0.5);
    assert_near(effect("all", "next"), half, 0.5);
    assert_true(isnan(effect("all", "region")));
}

/* What firmware has switched off is switched on to compare; what off costs keeps its sign. */
static void what_was_off_is_turned_on(void **state)
{
    (void)state;
    model_at(&m, SWITCHES)->value = model_at(&m, SWITCHES)->found = 4;
    assert_int_equal(run_probe(), OUTCOME_OK);
    assert_near(effect("l1d-next", "next"), (MISS - HIT) / 2.0, 0.5);
    assert_near(effect("l2-adjacent", "adjacent"), (MISS - HIT) / 2.0, 0.5);
}

/* Registers that read back as written and change nothing have no effect, whatever they say. */
static void switches_without_effect_have_none(void **state)
{
    static const char *const names[] = {"l2-stream", "l2-adjacent", "l1d-next", "l1d-ip", "all"};

    (void)state;
    obeys = false;
    assert_int_equal(run_probe(), OUTCOME_OK);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_string_equal(reason(names[i]), "no-effect");
}

static void without_switches_the_patterns_are_reported(void **state)
{
    (void)state;
    reachable = false;
    assert_int_equal(run_probe(), OUTCOME_OK);
    assert_near(saved("adjacent"), 100 * (MISS - HIT) / 2.0 / MISS, 1);
    const char *line = records_find(&records, NULL, "finding", "name", "memory.prefetch.effect");
    assert_string_equal(record_value(line, "detail", 0), "there are no registers here");
    assert_string_equal(record_value(line, "grade", 1), "U");
    assert_null(records_find(&records, line, "finding", "name", "memory.prefetch.effect"));
}

/* One that ignores writes is reported as such, and the others are compared all the same. */
static void a_switch_that_does_not_stick_is_reported(void **state)
{
    (void)state;
    model_at(&m, SWITCHES)->writable = 0xd;
    assert_int_equal(run_probe(), OUTCOME_OK);
    assert_string_equal(reason("l2-adjacent"), "platform");
    assert_string_equal(detail("l2-adjacent"), "MSR_MISC_FEATURE_CONTROL (0x1a4) ignores what is written");
    assert_near(effect("l1d-next", "next"), (MISS - HIT) / 2.0, 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_effect_is_attributed_to_its_switch, prepare, clear),
        cmocka_unit_test_setup_teardown(what_was_off_is_turned_on, prepare, clear),
        cmocka_unit_test_setup_teardown(switches_without_effect_have_none, prepare, clear),
        cmocka_unit_test_setup_teardown(without_switches_the_patterns_are_reported, prepare, clear),
        cmocka_unit_test_setup_teardown(a_switch_that_does_not_stick_is_reported, prepare, clear),
    };

    return cmocka_run_group_tests_name("prefetch", tests, NULL, NULL);
}
