/* A run keeps its order and its word: each probe starts and ends on record, and nothing is believed that may not be. */
/* link: arch/emit.c arch/x86_64/emit.c */
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

#include "lib/probe.h"
#include "tests/records.h"
#include "tests/unit/no_counters.h"

/* ---- A machine that runs nothing ---------------------------------------------------------------- */

const char reader_empty_kernel[1], reader_chain_kernel[1], reader_width_kernel[1];

/* Kernels are only their addresses here. */
enum { KERNEL_GOOD = 1, KERNEL_FAULT, KERNEL_TIMEOUT };

static struct machine_info info;
static uint64_t ticks;
static unsigned windows;
static bool no_windows; /* the first one faults */
static size_t mapped;   /* areas that were mapped and not released */
static bool no_memory;
static uint8_t memory[4096];
enum { CORES = 5 };
static struct machine_core cores[CORES];
static const char *refuses[CORES]; /* why it cannot be used, as is found out only when it is tried */
static char used[128];             /* cores, in the order in which they were used */

const struct machine_core *machine_cores(size_t *count)
{
    *count = CORES;
    return cores;
}

const char *machine_use_core(unsigned index)
{
    size_t length = strlen(used);

    if (refuses[index])
        return refuses[index];
    snprintf(used + length, sizeof used - length, " %u", index);
    info.core = index;
    memcpy(info.core_type, cores[index].type, sizeof info.core_type);
    return NULL;
}

const struct machine_info *machine_info(void)
{
    return &info;
}

struct control *machine_control(const char **why_not)
{
    *why_not = "there are no registers";
    return NULL;
}

struct window_result machine_window(struct reading *list, size_t count)
{
    windows++;
    if (no_windows)
        return (struct window_result){.end = WINDOW_FAULT, .fault = {.vector = "page-fault"}};
    for (size_t i = 0; i < count; i++) {
        if (list[i].kernel == KERNEL_FAULT)
            return (struct window_result){
                .end = WINDOW_FAULT,
                .fault = {.vector = "undefined-instruction", .syndrome = 6, .address = 0x10, .pc = 0x1234}};
        if (list[i].kernel == KERNEL_TIMEOUT)
            return (struct window_result){.end = WINDOW_TIMEOUT, .fault = {.pc = 0x5678}};
        list[i].begin_ticks = ticks;
        ticks += list[i].kernel == (uintptr_t)reader_empty_kernel ? 0 : 128 * list[i].argument[0];
        list[i].end_ticks = ticks;
    }
    return (struct window_result){0};
}

const char *machine_map(struct area *a, size_t bytes, size_t page_bytes, enum area_use use)
{
    (void)page_bytes, (void)use;
    if (no_memory || bytes > sizeof memory)
        return "no memory is left";
    *a = (struct area){.write = memory, .at = (uintptr_t)memory, .bytes = bytes, .page_bytes = 4096};
    mapped++;
    return NULL;
}

const char *machine_map_frames(struct area *a, const size_t *frames, size_t pages, size_t page_bytes, enum area_use use)
{
    (void)a, (void)frames, (void)pages, (void)page_bytes, (void)use;
    return "no frames are chosen in this test";
}

const char *machine_pages_accessed(const struct area *a, bool *accessed)
{
    (void)a, (void)accessed;
    return "there are no page tables";
}

size_t machine_map_mark(void)
{
    return mapped;
}

static const char *writes_outside; /* a probe that does; NULL: none */
static bool wrote_outside;         /* and nobody has been told of it */

void machine_map_release(size_t mark)
{
    mapped = mark;
}

bool machine_touched_outside(struct fault *fault)
{
    if (!wrote_outside)
        return false;
    wrote_outside = false;
    *fault = (struct fault){.vector = "outside-area", .address = 0x2000};
    return true;
}

void machine_code_written(const struct area *a, size_t offset, size_t bytes)
{
    (void)a, (void)offset, (void)bytes;
}

void machine_describe(struct record *r)
{
    (void)r;
}

void machine_describe_environment(struct record *r)
{
    (void)r;
}

static char screen[16384]; /* what people see; <> around what stands out */

void machine_print(const char *text)
{
    strncat(screen, text, sizeof screen - strlen(screen) - 1);
}

void machine_print_strong(const char *text)
{
    machine_print("<");
    machine_print(text);
    machine_print(">");
}

void machine_progress(const char *text)
{
    (void)text;
}

double machine_seconds(void)
{
    return 0;
}

void machine_date(char out[24])
{
    out[0] = 0;
}

/* ---- Probes ------------------------------------------------------------------------------------- */

static char ran[256];     /* names in the order in which the probes ran */
static const char *cause; /* the gate's verdict */
static bool gate_speaks;
static unsigned untrusted_core; /* on which the gate's verdict is another */

static void note(const struct probe *p)
{
    strcat(strcat(ran, " "), p->definition->name);
    wrote_outside = writes_outside && !strcmp(writes_outside, p->definition->name);
}

static bool measure_kernel(struct probe *p, uintptr_t entry)
{
    struct point pt;
    return probe_measure(p, &(struct kernel){.entry = entry, .units = 1}, &pt);
}

static void run_gate(struct probe *p)
{
    note(p);
    if (gate_speaks)
        trust(p, machine_info()->core == untrusted_core ? "this core's clock lies" : cause);
}

static void run_good(struct probe *p)
{
    struct area a;

    note(p);
    if (!probe_map(p, &a, 64, 0) || !measure_kernel(p, KERNEL_GOOD))
        return;
    report(p, &(struct finding){.name = "test.size",
                                .variants = {{"level", .number = 1}, {"page", "4k"}},
                                .value = 32768,
                                .low = 32768,
                                .high = 33792,
                                .grade = 'B',
                                .reason = "said only of grade U",
                                .method = "by hand",
                                .curves = {"one", "two"}});
    report(p, &(struct finding){
                  .name = "test.size", .value = NAN, .low = 1, .high = 2, .grade = 'A', .reason = "no-knee"});
}

static void run_other_finding(struct probe *p)
{
    note(p);
    report(p, &(struct finding){.name = "test.size", .value = 1, .grade = 'C'});
}

static void run_faulty(struct probe *p)
{
    note(p);
    if (measure_kernel(p, KERNEL_FAULT))
        fail();
}

static void run_endless(struct probe *p)
{
    note(p);
    if (measure_kernel(p, KERNEL_TIMEOUT))
        fail();
}

static void run_nothing(struct probe *p)
{
    note(p);
}

/* ---- Probes that know of each other ------------------------------------------------------------ */

static struct finding to_report[6]; /* by the probe `reports`, ended by a NULL name */
static bool measures_line;          /* whether `line` decides what it declares */
static double line_seen;            /* by `needs_line` */

static void run_line(struct probe *p)
{
    note(p);
    report(p, &(struct finding){.name = "test.line",
                                .variants = {{"level", .number = 1}},
                                .value = measures_line ? 64 : NAN,
                                .low = NAN,
                                .high = NAN,
                                .grade = 'C'});
}

static void run_needs_line(struct probe *p)
{
    note(p);
    line_seen = facts_number(&p->run->facts, "test.line", "level=1", 0);
}

static void run_reports(struct probe *p)
{
    note(p);
    for (const struct finding *told = to_report; told->name; told++) {
        struct finding f = *told;
        char gone[64]; /* texts of findings last no longer than the call */
        if (f.limits[0].variants) {
            snprintf(gone, sizeof gone, "%s", f.limits[0].variants);
            f.limits[0].variants = gone;
        }
        report(p, &f);
        memset(gone, 0, sizeof gone);
    }
}

PROBE(line, .title = "", .family = "n", .run = run_line, .findings = FINDINGS({"test.line", "bytes", ""}));
PROBE(behind_line, .title = "", .family = "a", .run = run_needs_line, .needs = NEEDS("test.line level=1"));
PROBE(second_line, .title = "", .family = "n", .run = run_needs_line, .needs = NEEDS("test.line level=2"));
PROBE(needs_behind, .title = "", .family = "a", .run = run_needs_line, .needs = NEEDS("test.line", "test.nobodys"),
      .debug = true);
PROBE(circle_a, .title = "", .family = "n", .run = run_nothing, .needs = NEEDS("test.circle_b"),
      .findings = FINDINGS({"test.circle_a", "bytes", ""}));
PROBE(circle_b, .title = "", .family = "n", .run = run_nothing, .needs = NEEDS("test.circle_a"),
      .findings = FINDINGS({"test.circle_b", "bytes", ""}));
PROBE(reports, .title = "", .family = "n", .run = run_reports, .debug = true,
      .findings = FINDINGS({"memory.cache.bytes", "bytes", ""}, {"memory.cache.latency_cycles", "cycles", ""},
                           {"memory.dtlb.entries", "entries", ""}, {"frontend.mispredict.cycles", "cycles", ""}));

#define SIZE FINDINGS({"test.size", "bytes", "something"})

/* In the order of family and name, which `after` and `gate` overrule. */
PROBE(zz_gate, .title = "", .family = "zz", .gate = true, .run = run_gate, .findings = SIZE);
PROBE(good, .title = "", .family = "b", .run = run_good, .findings = SIZE);
PROBE(undeclared, .title = "", .family = "b", .run = run_other_finding, .findings = FINDINGS({"test.other", "", ""}),
      .debug = true);
PROBE(declares_nothing, .title = "", .family = "b", .run = run_other_finding, .debug = true);
PROBE(faulty, .title = "", .family = "b", .run = run_faulty, .debug = true);
PROBE(endless, .title = "", .family = "b", .run = run_endless, .debug = true);
PROBE(early, .title = "", .family = "c", .run = run_nothing);
PROBE(behind_last, .title = "", .family = "a", .after = "last", .run = run_nothing);
PROBE(behind_behind, .title = "", .family = "a", .after = "behind_last", .run = run_nothing);
PROBE(behind_nobody, .title = "", .family = "a", .after = "there_is_no_such_probe", .run = run_nothing);
PROBE(ring_a, .title = "", .family = "r", .after = "ring_c", .run = run_nothing);
PROBE(ring_b, .title = "", .family = "r", .after = "ring_a", .run = run_nothing);
PROBE(ring_c, .title = "", .family = "r", .after = "ring_b", .run = run_nothing);
PROBE(itself, .title = "", .family = "r", .after = "itself", .run = run_nothing);
PROBE(last, .title = "", .family = "z", .run = run_nothing);

static const char *const ALL[] = {
    "zz_gate",       "good",          "undeclared",   "declares_nothing", "faulty",   "endless", "early", "behind_last",
    "behind_behind", "behind_nobody", "ring_a",       "ring_b",           "ring_c",   "itself",  "last",  "line",
    "behind_line",   "second_line",   "needs_behind", "circle_a",         "circle_b", "reports"};
enum { PROBES = sizeof ALL / sizeof ALL[0] };

/* ---- One run ------------------------------------------------------------------------------------ */

static struct records records;

static struct run prepared(const char *probes)
{
    struct run r = {.number = 7};

    info = (struct machine_info){.platform = "test", .isa = "x86_64", .tick_hz = 1e9, .core = 3};
    ran[0] = screen[0] = 0;
    memset(to_report, 0, sizeof to_report);
    measures_line = true;
    line_seen = -1;
    cause = NULL;
    gate_speaks = true;
    untrusted_core = CORES;
    for (unsigned i = 0; i < CORES; i++)
        cores[i] = (struct machine_core){.index = i, .id = 0x100 * i};
    memset(refuses, 0, sizeof refuses);
    used[0] = 0;
    no_windows = no_memory = false;
    windows = 0;
    mapped = 5;
    records_free(&records);
    config_defaults(&r.config);
    snprintf(r.config.probes, sizeof r.config.probes, "%s", probes);
    journal_start(&r.journal, "0");
    writer_start(&r.writer);
    assert_true(writer_add(&r.writer, records_sink(&records)));
    return r;
}

static struct facts facts; /* that a run has left behind */

static int run(struct run *r)
{
    int status = run_all(r);
    writer_stop(&r->writer);
    facts_forget(&facts);
    facts = r->facts;
    r->facts = (struct facts){0};
    return status;
}

static void assert_value(const char *line, const char *key, const char *value)
{
    const char *got = line ? record_value(line, key, 2) : NULL;
    assert_non_null(line);
    if (!value) {
        assert_null(got);
    } else {
        assert_non_null(got);
        assert_string_equal(got, value);
    }
}

/* The `end` of a probe, which stands behind its `start`. */
static const char *end_of(const char *probe)
{
    const char *start = records_find(&records, NULL, "start", "probe", probe);
    assert_non_null(start);
    assert_value(start, "core", "3");
    assert_value(start, "type", NULL);
    assert_null(records_find(&records, start, "start", "probe", probe));
    return records_find(&records, start, "end", "probe", probe);
}

static size_t place(const struct probe_definition *const *order, const char *name)
{
    for (size_t i = 0; i < PROBES; i++)
        if (!strcmp(order[i]->name, name))
            return i;
    fail();
    return 0;
}

/* ---- Order -------------------------------------------------------------------------------------- */

static void probes_run_behind_those_they_name(void **state)
{
    const struct probe_definition *order[PROBES + 1];

    (void)state;
    assert_int_equal(run_probes(order, PROBES + 1), PROBES);
    for (size_t i = 0; i < PROBES; i++) /* each of them once */
        assert_true(place(order, ALL[i]) < PROBES);
    assert_true(place(order, "last") < place(order, "behind_last"));
    assert_true(place(order, "behind_last") < place(order, "behind_behind"));
    assert_string_equal(order[0]->name, "behind_line");   /* first by family, and it waits for nobody: what it needs */
    assert_string_equal(order[1]->name, "behind_nobody"); /* is looked at when it runs */
    assert_true(place(order, "good") < place(order, "early"));
    assert_true(place(order, "early") < place(order, "last"));
}

/* Rings are broken at the first of them by name; the others keep to their order. */
static void rings_are_broken(void **state)
{
    const struct probe_definition *order[PROBES];

    (void)state;
    assert_int_equal(run_probes(order, PROBES), PROBES);
    assert_true(place(order, "itself") < PROBES);
    assert_true(place(order, "ring_a") < place(order, "ring_b"));
    assert_true(place(order, "ring_b") < place(order, "ring_c"));
}

static void no_more_probes_than_there_is_room_for(void **state)
{
    const struct probe_definition *all[PROBES], *order[PROBES];

    (void)state;
    run_probes(all, PROBES);
    for (size_t room = 0; room <= PROBES; room++) {
        assert_int_equal(run_probes(order, room), room);
        for (size_t i = 0; i < room; i++)
            assert_ptr_equal(order[i], all[i]);
    }
}

static void the_gate_runs_first_and_always(void **state)
{
    struct run r = prepared("early");

    (void)state;
    assert_int_equal(run(&r), 0);
    assert_string_equal(ran, " zz_gate early");
    r = prepared("early, zz_gate");
    assert_int_equal(run(&r), 0);
    assert_string_equal(ran, " zz_gate early");
}

static void a_plan_of_none_is_a_plan_of_all_but_debug(void **state)
{
    struct run r = prepared("");

    (void)state;
    assert_int_equal(run(&r), 0);
    assert_string_equal(ran, " zz_gate line behind_line behind_nobody good early last behind_last behind_behind itself"
                             " ring_a ring_b ring_c");
    assert_value(records_find(&records, NULL, "done", NULL, NULL), "ok", "13");
}

static void unknown_names_stop_the_run(void **state)
{
    struct run r = prepared("early no_such,last");

    (void)state;
    assert_int_equal(run(&r), 2);
    assert_string_equal(ran, "");
    assert_int_equal(windows, 0);
    assert_null(records_find(&records, NULL, "start", NULL, NULL));
    const char *warning = records_find(&records, NULL, "warning", NULL, NULL);
    assert_non_null(warning);
    assert_non_null(strstr(record_value(warning, "text", 0), "no_such"));
    const char *done = records_find(&records, NULL, "done", NULL, NULL);
    assert_value(done, "status", "2");
    assert_value(done, "ok", "0");
}

/* ---- Outcomes ----------------------------------------------------------------------------------- */

static void a_good_probe_starts_reports_and_ends(void **state)
{
    struct run r = prepared("good");

    (void)state;
    assert_int_equal(run(&r), 0);
    const char *end = end_of("good");
    assert_value(end, "outcome", "ok");
    assert_value(end, "reason", NULL);
    assert_value(end, "rejected", "0");
    const char *finding = records_find(&records, NULL, "finding", "name", "test.size");
    assert_true(finding > records_find(&records, NULL, "start", "probe", "good") && finding < end);
    assert_value(finding, "probe", "good");
    assert_value(finding, "core", "3");
    assert_value(finding, "level", "1");
    assert_value(finding, "page", "4k");
    assert_value(finding, "value", "32768");
    assert_value(finding, "unit", "bytes");
    assert_value(finding, "low", "32768");
    assert_value(finding, "high", "33792");
    assert_value(finding, "grade", "B");
    assert_value(finding, "reason", NULL);
    assert_value(finding, "method", "by hand");
    assert_non_null(strstr(finding, "\"curves\":[\"one\",\"two\"]"));
    assert_int_equal(mapped, 5); /* what the probe mapped was given back */
}

/* What has no value is undecided, whatever grade the probe gives it. */
static void a_finding_without_value_is_undecided(void **state)
{
    struct run r = prepared("good");

    (void)state;
    assert_int_equal(run(&r), 0);
    const char *finding = records_find(&records, NULL, "finding", "grade", "U");
    assert_value(finding, "value", "null");
    assert_value(finding, "low", "null");
    assert_value(finding, "high", "null");
    assert_value(finding, "reason", "no-knee");
    assert_null(records_find(&records, finding, "finding", NULL, NULL));
}

static void faults_are_recorded_and_the_run_goes_on(void **state)
{
    struct run r = prepared("faulty endless early");

    (void)state;
    assert_int_equal(run(&r), 1);
    assert_string_equal(ran, " zz_gate endless faulty early");
    assert_value(end_of("faulty"), "outcome", "fault");
    assert_value(end_of("endless"), "outcome", "timeout");
    assert_value(end_of("early"), "outcome", "ok");
    const char *fault = records_find(&records, NULL, "fault", NULL, NULL);
    assert_value(fault, "probe", "faulty");
    assert_value(fault, "vector", "undefined-instruction");
    assert_value(fault, "syndrome", "0x6");
    assert_value(fault, "address", "0x10");
    assert_value(fault, "pc", "0x1234");
    assert_true(fault < end_of("faulty"));
    assert_null(records_find(&records, fault, "fault", NULL, NULL));
}

/* Two records where a kernel faulted before. */
static void what_is_written_outside_is_a_fault(void **state)
{
    (void)state;
    for (unsigned faulty = 0; faulty < 2; faulty++) {
        const char *probe = faulty ? "faulty" : "early";
        char plan[32];
        snprintf(plan, sizeof plan, "%s last", probe);
        struct run r = prepared(plan);
        writes_outside = probe;
        assert_int_equal(run(&r), 1);
        writes_outside = NULL;
        assert_value(end_of(probe), "outcome", "fault");
        assert_value(end_of("last"), "outcome", "ok");
        const char *fault = records_find(&records, NULL, "fault", NULL, NULL);
        if (faulty) {
            assert_value(fault, "vector", "undefined-instruction");
            fault = records_find(&records, fault, "fault", NULL, NULL);
        }
        assert_value(fault, "probe", probe);
        assert_value(fault, "vector", "outside-area");
        assert_value(fault, "address", "0x2000");
        assert_null(records_find(&records, fault, "fault", NULL, NULL));
    }
}

static void an_undeclared_finding_fails_its_probe(void **state)
{
    static const char *const probes[] = {"undeclared", "declares_nothing"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct run r = prepared(probes[i]);
        assert_int_equal(run(&r), 1);
        assert_value(end_of(probes[i]), "outcome", "fault");
        assert_value(records_find(&records, NULL, "fault", NULL, NULL), "vector", "undeclared-finding");
        assert_value(records_find(&records, NULL, "warning", NULL, NULL), "subject", "test.size");
        assert_null(records_find(&records, NULL, "finding", NULL, NULL));
        assert_value(records_find(&records, NULL, "done", NULL, NULL), "findings", "0");
    }
}

static void what_the_place_lacks_skips_the_probe(void **state)
{
    struct run r = prepared("good");

    (void)state;
    no_memory = true;
    assert_int_equal(run(&r), 0);
    assert_value(end_of("good"), "outcome", "skipped");
    assert_value(end_of("good"), "reason", "no memory is left");
    assert_null(records_find(&records, NULL, "finding", NULL, NULL));
}

/* Twice started and never ended: it is not started a third time, unless that is asked for. */
static void the_journal_skips_what_never_ended(void **state)
{
    (void)state;
    for (unsigned unended = 0; unended < 4; unended++)
        for (int retry = 0; retry < 2; retry++) {
            struct run r = prepared("good early");
            bool skips = unended >= 2 && !retry;
            r.config.retry = retry;
            r.journal.count = 1;
            r.journal.entries[0] = (struct journal_entry){.probe = "good", .starts = unended, .unended = unended};
            assert_int_equal(run(&r), 0);
            assert_string_equal(ran, skips ? " zz_gate early" : " zz_gate good early");
            const char *end = records_find(&records, NULL, "end", "probe", "good");
            assert_value(end, "outcome", skips ? "skipped" : "ok");
            assert_true((record_value(end, "reason", 0) != NULL) == skips);
            /* a start without an end would be counted again */
            assert_true((records_find(&records, NULL, "start", "probe", "good") == NULL) == skips);
        }
}

static void done_counts_outcomes(void **state)
{
    struct run r = prepared("good faulty endless undeclared early last");

    (void)state;
    r.journal.count = 1;
    r.journal.entries[0] = (struct journal_entry){.probe = "last", .starts = 2, .unended = 2};
    assert_int_equal(run(&r), 1);
    const char *done = records_find(&records, NULL, "done", NULL, NULL);
    assert_value(done, "ok", "3"); /* the gate is one of them */
    assert_value(done, "skipped", "1");
    assert_value(done, "fault", "2");
    assert_value(done, "timeout", "1");
    assert_value(done, "findings", "2");
    assert_value(done, "lost_lines", "0");
    assert_value(done, "status", "1");
    assert_string_equal(strchr(done, '\n'), "\n"); /* and it is the last line */
}

/* No window can be run: no probe is started, and the run says why it failed. */
static void a_place_without_windows_fails_the_run(void **state)
{
    struct run r = prepared("");

    (void)state;
    no_windows = true;
    assert_int_equal(run(&r), 1);
    assert_string_equal(ran, "");
    assert_value(records_find(&records, NULL, "warning", NULL, NULL), "subject", "window");
    assert_value(records_find(&records, NULL, "done", NULL, NULL), "status", "1");
}

/* ---- Trust -------------------------------------------------------------------------------------- */

static void assert_all_undecided(const char *why)
{
    size_t count = 0;

    for (const char *f = NULL; (f = records_find(&records, f, "finding", NULL, NULL)); count++) {
        assert_value(f, "grade", "U");
        assert_value(f, "value", "null");
        assert_value(f, "low", "null");
        assert_value(f, "high", "null");
        assert_value(f, "reason", "untrusted-clock");
    }
    assert_int_equal(count, 2);
    assert_value(records_find(&records, NULL, "done", NULL, NULL), "untrusted_cause", why);
}

static void an_untrusted_place_decides_nothing(void **state)
{
    struct run r = prepared("good");

    (void)state;
    cause = "the clock lies";
    assert_int_equal(run(&r), 0);
    assert_all_undecided("the clock lies");
    assert_true(isinf(r.meter.tolerance)); /* its points are still wanted */
}

/* A gate that did not come to its verdict has trusted nothing. */
static void silence_of_the_gate_is_no_trust(void **state)
{
    struct run r = prepared("good");

    (void)state;
    gate_speaks = false;
    assert_int_equal(run(&r), 0);
    assert_all_undecided("the clock was not examined");

    r = prepared("good");
    r.journal.count = 1;
    r.journal.entries[0] = (struct journal_entry){.probe = "zz_gate", .starts = 2, .unended = 2};
    assert_int_equal(run(&r), 0);
    assert_string_equal(ran, " good");
    assert_all_undecided("the clock was not examined");
}

/* ---- Cores -------------------------------------------------------------------------------------- */

/* Every core has its own machine, environment and records, knows nothing of the others', and the first is left in use. */
static void every_core_that_was_asked_for_measures(void **state)
{
    struct run r = prepared("good line behind_line");
    const char *line = NULL, *end;

    (void)state;
    strcpy(r.config.cores, "4 0-1, 0");
    strcpy(cores[4].type, "P");
    assert_int_equal(run(&r), 0);
    assert_string_equal(used, " 4 0 1 3");
    assert_string_equal(ran, " zz_gate line behind_line good zz_gate line behind_line good"
                             " zz_gate line behind_line good");
    for (size_t i = 0; i < 3; i++) {
        static const char *const order[] = {"4", "0", "1"};
        line = records_find(&records, line, "machine", NULL, NULL);
        assert_value(line, "core", order[i]);
        assert_value(line, "type", i == 0 ? "P" : NULL);
        assert_value(records_find(&records, line, "environment", NULL, NULL), "core", order[i]);
        const char *finding = records_find(&records, line, "finding", "name", "test.size");
        assert_value(finding, "core", order[i]);
        assert_value(finding, "type", i == 0 ? "P" : NULL);
        assert_value(finding, "grade", "B");
        end = records_find(&records, line, "end", "probe", "line");
        assert_value(end, "core", order[i]);
        assert_value(end, "outcome", "ok");
    }
    assert_null(records_find(&records, line, "machine", NULL, NULL));
    line = records_find(&records, NULL, "done", NULL, NULL);
    assert_value(line, "cores", "3");
    assert_value(line, "ok", "12");
    assert_value(line, "trusted", "true");
    assert_null(records_find(&records, NULL, "warning", NULL, NULL));
}

/* What one core was found to have is no fact of the next. */
static void cores_share_no_facts(void **state)
{
    struct run r = prepared("reports");

    (void)state;
    strcpy(r.config.cores, "0 1");
    to_report[0] = (struct finding){
        .name = "memory.cache.bytes", .variants = {{"level", .number = 1}}, .value = 1, .grade = 'C'};
    assert_int_equal(run(&r), 0);
    assert_int_equal(facts.count, 1);
    assert_int_equal(r.kept_count, 0);
}

static void one_core_of_each_type_by_default(void **state)
{
    struct run r = prepared("early");

    (void)state;
    for (unsigned i = 0; i < CORES; i++)
        strcpy(cores[i].type, i < 3 ? "E" : "P");
    strcpy(info.core_type, "P");
    cores[0].why_not = "it is off";
    assert_int_equal(run(&r), 0);
    assert_string_equal(used, " 1 3");
    assert_value(records_find(&records, NULL, "done", NULL, NULL), "cores", "2");
    assert_null(records_find(&records, NULL, "warning", NULL, NULL));

    r = prepared("early"); /* no types: the one in use, which is not taken anew */
    assert_int_equal(run(&r), 0);
    assert_string_equal(used, "");
}

static void cores_that_cannot_be_had_are_told(void **state)
{
    struct run r = prepared("early");
    const char *line;

    (void)state;
    strcpy(r.config.cores, "999");
    assert_int_equal(run(&r), 0);
    line = records_find(&records, NULL, "warning", "text", "there is no core 999; this machine has 0 to 4");
    assert_value(line, "subject", "cores");
    assert_non_null(strstr(line, "no core that was asked for can be had: core 3 measures"));
    assert_string_equal(ran, " zz_gate early");
    assert_non_null(strstr(screen, "there is no core 999"));

    r = prepared("early");
    strcpy(r.config.cores, "all");
    refuses[1] = "it does not start: denied";
    cores[2].why_not = "it is disabled";
    assert_int_equal(run(&r), 1);
    assert_string_equal(used, " 0 3 4 3");
    line = records_find(&records, NULL, "warning", NULL, NULL);
    assert_value(line, "text", "core 2 cannot be used: it is disabled");
    line = records_find(&records, line, "warning", NULL, NULL);
    assert_value(line, "text", "core 1 cannot be used: it does not start: denied");
    line = records_find(&records, NULL, "done", NULL, NULL);
    assert_value(line, "cores", "3");
    assert_value(line, "status", "1");
}

/* A core whose clock lies takes nothing from another one's findings, and `done` does not hide it. */
static void each_core_is_trusted_by_itself(void **state)
{
    struct run r = prepared("good");
    const char *line = NULL;

    (void)state;
    strcpy(r.config.cores, "0-2");
    untrusted_core = 1;
    assert_int_equal(run(&r), 0);
    for (unsigned i = 0; i < 3; i++) {
        line = records_find(&records, line, "finding", NULL, NULL);
        assert_value(line, "grade", i == 1 ? "U" : "B");
        line = records_find(&records, line, "finding", NULL, NULL); /* it reports two */
    }
    line = records_find(&records, NULL, "done", NULL, NULL);
    assert_value(line, "trusted", "false");
    assert_value(line, "untrusted_cause", "this core's clock lies");
}

/* ---- Facts, and what probes need ---------------------------------------------------------------- */

/* A lone probe gets what it needs: the probe that measures it runs first, with its records, and once. */
static void what_a_probe_needs_is_measured_first(void **state)
{
    struct run r = prepared("behind_line");

    (void)state;
    assert_int_equal(run(&r), 0);
    assert_string_equal(ran, " zz_gate line behind_line");
    assert_true(line_seen == 64);
    assert_value(end_of("line"), "outcome", "ok");
    assert_non_null(records_find(&records, NULL, "finding", "name", "test.line"));

    r = prepared("behind_line line");
    assert_int_equal(run(&r), 0);
    assert_string_equal(ran, " zz_gate line behind_line");
}

static void what_cannot_be_had_skips_the_probe(void **state)
{
    struct run r = prepared("behind_line");

    (void)state;
    measures_line = false;
    assert_int_equal(run(&r), 0);
    assert_string_equal(ran, " zz_gate line");
    const char *end = records_find(&records, NULL, "end", "probe", "behind_line");
    assert_value(end, "outcome", "skipped");
    assert_value(end, "reason", "it needs test.line level=1, which is neither declared nor measured");
    assert_null(records_find(&records, NULL, "start", "probe", "behind_line"));

    /* Another level's line is none of its business, and what no probe finds cannot be waited for. */
    r = prepared("second_line needs_behind");
    assert_int_equal(run(&r), 0);
    assert_string_equal(ran, " zz_gate line");
    assert_value(records_find(&records, NULL, "end", "probe", "second_line"), "outcome", "skipped");
    assert_value(records_find(&records, NULL, "end", "probe", "needs_behind"), "reason",
                 "it needs test.nobodys, which is neither declared nor measured");

    /* Where nothing can be trusted nothing is measured. */
    r = prepared("behind_line");
    cause = "the clock lies";
    assert_int_equal(run(&r), 0);
    assert_string_equal(ran, " zz_gate line");
}

static void needs_in_a_ring_end(void **state)
{
    struct run r = prepared("circle_a circle_b");

    (void)state;
    assert_int_equal(run(&r), 0);
    assert_string_equal(ran, " zz_gate");
    assert_value(records_find(&records, NULL, "end", "probe", "circle_a"), "outcome", "skipped");
    assert_value(records_find(&records, NULL, "end", "probe", "circle_b"), "outcome", "skipped");
}

/* What is declared need not be measured, and stands in the machine record. */
static void declared_facts_are_there_at_the_start(void **state)
{
    static const struct identity_cache caches[] = {
        {.level = 1, .holds = HOLDS_DATA, .bytes = 49152, .line_bytes = 64, .source = "cpuid.4"},
        {.level = 1, .holds = HOLDS_INSTRUCTIONS, .bytes = 32768, .source = "cpuid.4"}};
    static const struct identity_tlb tlbs[] = {
        {.level = 1, .holds = HOLDS_DATA, .loads = true, .page = "4k", .entries = 96, .source = "cpuid.18"}};
    struct run r = prepared("early");

    (void)state;
    info.caches = caches;
    info.cache_count = 2;
    info.tlbs = tlbs;
    info.tlb_count = 1;
    assert_int_equal(run(&r), 0);
    assert_true(facts_number(&facts, "memory.cache.bytes", "level=1", 0) == 49152);
    const char *machine = records_find(&records, NULL, "machine", NULL, NULL);
    assert_non_null(strstr(machine, "\"declared\":{\"cpuid.4\":{\"memory.cache.bytes level=1\":49152,"
                                    "\"memory.cache.line_bytes level=1\":64,\"frontend.l1i.bytes\":32768},"
                                    "\"cpuid.18\":{\"memory.dtlb.entries level=1 page=4k access=load\":96}}"));
}

/* ---- The last pass -------------------------------------------------------------------------------- */

/* A cache's size, whose experiment touches a page of 4 KiB for each of its bytes / 4096. */
static struct finding cache_of(double bytes, char grade)
{
    return (struct finding){.name = "memory.cache.bytes",
                            .variants = {{"level", .number = 1}},
                            .value = bytes,
                            .low = bytes - 1024,
                            .high = bytes + 1024,
                            .grade = grade,
                            .curves = {"lines"},
                            .limits = {{"memory.dtlb.entries", "page=4k access=load", 1.0 / 4096}}};
}

static struct finding dtlb_of(double entries)
{
    return (struct finding){.name = "memory.dtlb.entries",
                            .variants = {{"level", .number = 1}, {"page", "4k"}, {"access", "load"}},
                            .value = entries,
                            .low = entries,
                            .high = entries + 1,
                            .grade = 'B'};
}

/* How often the cache's size is reported again as masked: 0 or 1. */
static unsigned masked(void)
{
    const char *first = records_find(&records, NULL, "finding", "name", "memory.cache.bytes");
    const char *again = records_find(&records, first, "finding", "name", "memory.cache.bytes");

    assert_value(first, "replaces", NULL);
    if (!again)
        return 0;
    assert_value(again, "grade", "U");
    assert_value(again, "value", "null");
    assert_value(again, "level", "1");
    assert_value(again, "probe", "reports");
    assert_value(again, "replaces", "true");
    assert_value(again, "seen", record_value(first, "value", 1));
    assert_value(again, "reason", "masked-by:memory.dtlb.entries level=1 page=4k access=load");
    assert_non_null(strstr(again, "\"curves\":[\"lines\"]"));
    assert_non_null(strstr(screen, "masked-by:memory.dtlb.entries"));
    assert_true(again > records_find(&records, NULL, "end", "probe", "reports"));
    assert_null(records_find(&records, again, "finding", "name", "memory.cache.bytes"));
    return 1;
}

static unsigned masked_with(struct finding cache, struct finding limit)
{
    struct run r = prepared("reports");

    to_report[0] = cache;
    to_report[1] = limit;
    assert_int_equal(run(&r), 0);
    assert_value(records_find(&records, NULL, "done", NULL, NULL), "findings", "2"); /* one is said twice */
    assert_null(r.kept);
    return masked();
}

/* What replaces stands for what was told before, and the last pass does not take that back any more. */
static void what_is_told_better_replaces(void **state)
{
    struct run r = prepared("reports");
    const char *first, *second;

    (void)state;
    to_report[0] = cache_of(96 * 4096, 'C');
    to_report[1] = cache_of(100 * 4096, 'B');
    to_report[1].replaces = true;
    to_report[1].limits[0].name = NULL;
    to_report[2] = dtlb_of(96);
    assert_int_equal(run(&r), 0);
    first = records_find(&records, NULL, "finding", "name", "memory.cache.bytes");
    second = records_find(&records, first, "finding", "name", "memory.cache.bytes");
    assert_value(first, "replaces", NULL);
    assert_value(second, "replaces", "true");
    assert_value(second, "seen", NULL);
    assert_value(second, "value", "409600");
    assert_null(records_find(&records, second, "finding", "name", "memory.cache.bytes"));
    assert_true(facts_number(&facts, "memory.cache.bytes", "level=1", 0) == 100 * 4096);
}

/* A finding may be a word; undecided it is none. */
static void findings_may_be_words(void **state)
{
    struct run r = prepared("reports");
    const char *f;

    (void)state;
    to_report[0] = cache_of(NAN, 'B');
    to_report[0].text = "LRU or PLRU";
    assert_int_equal(run(&r), 0);
    f = records_find(&records, NULL, "finding", "name", "memory.cache.bytes");
    assert_value(f, "value", "LRU or PLRU");
    assert_value(f, "grade", "B");
    assert_non_null(strstr(screen, "LRU or PLRU  B"));
    r = prepared("reports");
    to_report[0] = cache_of(NAN, 'U');
    assert_int_equal(run(&r), 0);
    assert_value(records_find(&records, NULL, "finding", "name", "memory.cache.bytes"), "value", "null");
}

static void a_knee_at_another_limit_is_masked(void **state)
{
    static const struct identity_tlb tlbs[] = {
        {.level = 1, .holds = HOLDS_DATA, .loads = true, .page = "4k", .entries = 96, .source = "cpuid.18"}};
    struct finding f;
    struct run r;

    (void)state;
    assert_int_equal(masked_with(cache_of(96 * 4096, 'A'), dtlb_of(96)), 1); /* whatever the grade is */
    assert_int_equal(masked_with(cache_of(98 * 4096, 'C'), dtlb_of(96)), 1); /* 2 % beside it */
    assert_int_equal(masked_with(cache_of(94 * 4096, 'C'), dtlb_of(96)), 1);
    assert_int_equal(masked_with(cache_of(128 * 4096, 'A'), dtlb_of(96)), 0);
    assert_int_equal(masked_with(cache_of(92 * 4096, 'A'), dtlb_of(96)), 0);

    /* Either interval may reach as far. */
    f = dtlb_of(96);
    f.high = 130;
    assert_int_equal(masked_with(cache_of(128 * 4096, 'A'), f), 1);
    f = cache_of(80 * 4096, 'C');
    f.high = 100 * 4096;
    assert_int_equal(masked_with(f, dtlb_of(96)), 1);

    /* Not where the experiment does not share the limit, or uses other pages. */
    f = cache_of(96 * 4096, 'A');
    f.limits[0].name = NULL;
    assert_int_equal(masked_with(f, dtlb_of(96)), 0);
    f = cache_of(96 * 4096, 'A');
    f.limits[0].variants = "page=2m";
    assert_int_equal(masked_with(f, dtlb_of(96)), 0);
    f.limits[0].variants = NULL;
    assert_int_equal(masked_with(f, dtlb_of(96)), 1);

    /* What is not decided neither masks nor is masked. */
    f = dtlb_of(96);
    f.value = NAN;
    assert_int_equal(masked_with(cache_of(96 * 4096, 'A'), f), 0);
    assert_int_equal(masked_with(cache_of(NAN, 'A'), dtlb_of(96)), 0);

    /* A declared limit counts as a measured one does. */
    r = prepared("reports");
    to_report[0] = cache_of(96 * 4096, 'A');
    info.tlbs = tlbs;
    info.tlb_count = 1;
    assert_int_equal(run(&r), 0);
    assert_int_equal(masked(), 1);
}

/* A size is always as large as itself; and one level's size may hide another's. */
static void a_knee_does_not_mask_itself(void **state)
{
    struct run r = prepared("reports");
    struct finding f = cache_of(65536, 'A');

    (void)state;
    f.limits[0] = (struct finding_limit){"memory.cache.bytes", "", 1};
    to_report[0] = f;
    assert_int_equal(run(&r), 0);
    const char *first = records_find(&records, NULL, "finding", "name", "memory.cache.bytes");
    assert_null(records_find(&records, first, "finding", "name", "memory.cache.bytes"));

    r = prepared("reports");
    to_report[0] = f;
    to_report[1] = f;
    to_report[1].variants[0].number = 2;
    to_report[1].limits[0].name = NULL;
    assert_int_equal(run(&r), 0);
    assert_value(records_find(&records, NULL, "finding", "grade", "U"), "reason",
                 "masked-by:memory.cache.bytes level=2");
}

/* Texts that the probe made for one report are still right at the end. */
static void masked_findings_keep_their_texts(void **state)
{
    struct run r = prepared("reports");
    char text[] = "4k";

    (void)state;
    to_report[0] = dtlb_of(96);
    to_report[0].variants[1].text = text;
    to_report[0].limits[0] = (struct finding_limit){"memory.cache.bytes", "level=1", 4096};
    to_report[1] = cache_of(96 * 4096, 'B');
    to_report[1].limits[0].name = NULL;
    for (unsigned i = 2; i < 5; i++) {
        to_report[i] = dtlb_of(1000 * i); /* kept too: the list grows and moves */
        to_report[i].variants[0].number = i;
        to_report[i].limits[0] = to_report[0].limits[0];
    }
    assert_int_equal(run(&r), 0);
    const char *again = records_find(&records, NULL, "finding", "grade", "U");
    assert_value(again, "page", "4k");
    assert_value(again, "access", "load");
    assert_value(again, "seen", "96");
}

/* ---- The line for people --------------------------------------------------------------------------- */

static const char *line_of(const char *name)
{
    static char line[256];
    const char *at = strstr(screen, name);

    assert_non_null(at);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    return line;
}

static const char *shown(struct finding f)
{
    struct run r = prepared("reports");

    snprintf(info.core_name, sizeof info.core_name, "golden-cove");
    to_report[0] = f;
    assert_int_equal(run(&r), 0);
    return line_of(f.name);
}

static void agreement_with_what_is_published_stands_out(void **state)
{
    struct finding latency = {.name = "memory.cache.latency_cycles",
                              .variants = {{"level", .number = 2}},
                              .value = 15.8,
                              .low = NAN,
                              .high = NAN,
                              .grade = 'B'};

    (void)state;
    assert_non_null(strstr(shown(cache_of(49152, 'A')), " published <48>"));
    assert_non_null(strstr(shown(cache_of(51200, 'A')), " published 48: +2"));
    assert_non_null(strstr(shown(cache_of(47104, 'A')), " published 48: -2"));
    assert_non_null(strstr(shown(cache_of(NAN, 'A')), " published 48 KiB"));
    /* 48 KiB is the first bad one: a capacity of 48 would have been good. */
    assert_non_null(strstr(shown(cache_of(48128, 'A')), " published 48: -1"));

    assert_non_null(strstr(shown(latency), " published 15: +0.8 or <16>"));
    latency.value = 15.1;
    assert_non_null(strstr(shown(latency), " published <15> or 16: -0.9"));
    latency.value = 18;
    assert_non_null(strstr(shown(latency), " published 15: +3 or 16: +2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_run_behind_those_they_name),
        cmocka_unit_test(rings_are_broken),
        cmocka_unit_test(no_more_probes_than_there_is_room_for),
        cmocka_unit_test(the_gate_runs_first_and_always),
        cmocka_unit_test(a_plan_of_none_is_a_plan_of_all_but_debug),
        cmocka_unit_test(unknown_names_stop_the_run),
        cmocka_unit_test(a_good_probe_starts_reports_and_ends),
        cmocka_unit_test(a_finding_without_value_is_undecided),
        cmocka_unit_test(faults_are_recorded_and_the_run_goes_on),
        cmocka_unit_test(what_is_written_outside_is_a_fault),
        cmocka_unit_test(an_undeclared_finding_fails_its_probe),
        cmocka_unit_test(what_the_place_lacks_skips_the_probe),
        cmocka_unit_test(the_journal_skips_what_never_ended),
        cmocka_unit_test(done_counts_outcomes),
        cmocka_unit_test(what_a_probe_needs_is_measured_first),
        cmocka_unit_test(what_cannot_be_had_skips_the_probe),
        cmocka_unit_test(needs_in_a_ring_end),
        cmocka_unit_test(declared_facts_are_there_at_the_start),
        cmocka_unit_test(a_knee_at_another_limit_is_masked),
        cmocka_unit_test(what_is_told_better_replaces),
        cmocka_unit_test(findings_may_be_words),
        cmocka_unit_test(a_knee_does_not_mask_itself),
        cmocka_unit_test(masked_findings_keep_their_texts),
        cmocka_unit_test(agreement_with_what_is_published_stands_out),
        cmocka_unit_test(a_place_without_windows_fails_the_run),
        cmocka_unit_test(an_untrusted_place_decides_nothing),
        cmocka_unit_test(silence_of_the_gate_is_no_trust),
        cmocka_unit_test(every_core_that_was_asked_for_measures),
        cmocka_unit_test(cores_share_no_facts),
        cmocka_unit_test(one_core_of_each_type_by_default),
        cmocka_unit_test(cores_that_cannot_be_had_are_told),
        cmocka_unit_test(each_core_is_trusted_by_itself),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    records_free(&records);
    return failed;
}
