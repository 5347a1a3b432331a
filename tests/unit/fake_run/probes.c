/* The probes of tests of a run, and the run itself. */
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/run/run.h"
#include "tests/unit/fake_run/fake_run.h"

struct test_probes probing;
struct records records;
struct facts facts;

/* ---- Probes ------------------------------------------------------------------------------------- */

static void note(const struct probe *p)
{
    strcat(strcat(probing.ran, " "), p->definition->name);
    machine.wrote_outside = machine.writes_outside && !strcmp(machine.writes_outside, p->definition->name);
}

static bool measure_kernel(struct probe *p, uintptr_t entry)
{
    struct point pt;
    return probe_measure(p, &(struct kernel){.entry = entry, .units = 1}, &pt);
}

static void run_gate(struct probe *p)
{
    note(p);
    if (probing.gate_speaks)
        trust(p, machine_info()->core == probing.untrusted_core ? "this core's clock lies" : probing.cause);
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
                                .reason = REASON_NOISE,
                                .method = "by hand",
                                .curves = {"one", "two"}});
    report(p, &(struct finding){
                  .name = "test.size", .value = NAN, .low = 1, .high = 2, .grade = 'A', .reason = REASON_NO_KNEE});
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

static void run_line(struct probe *p)
{
    note(p);
    report(p, &(struct finding){.name = "test.line",
                                .variants = {{"level", .number = 1}},
                                .value = probing.measures_line ? 64 : NAN,
                                .low = NAN,
                                .high = NAN,
                                .grade = 'C'});
}

static void run_needs_line(struct probe *p)
{
    note(p);
    probing.line_seen = facts_number(&p->run->facts, "test.line", "level=1", 0);
}

static void run_reports(struct probe *p)
{
    note(p);
    p->run->meter.taken += probing.taken;
    p->run->meter.rejected_by[CAUSE_SHARED] += probing.shared;
    p->run->meter.rejected_by[CAUSE_STOLEN] += probing.stolen;
    for (const struct finding *next = probing.to_report; next->name; next++) {
        struct finding f = *next;
        char gone[64]; /* a text that is gone after the call */
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
      .only_named = true);
PROBE(circle_a, .title = "", .family = "n", .run = run_nothing, .needs = NEEDS("test.circle_b"),
      .findings = FINDINGS({"test.circle_a", "bytes", ""}));
PROBE(circle_b, .title = "", .family = "n", .run = run_nothing, .needs = NEEDS("test.circle_a"),
      .findings = FINDINGS({"test.circle_b", "bytes", ""}));
PROBE(reports, .title = "", .family = "n", .run = run_reports, .only_named = true,
      .findings = FINDINGS({"memory.cache.bytes", "bytes", ""}, {"memory.cache.latency_cycles", "cycles", ""},
                           {"memory.dtlb.entries", "entries", ""}, {"frontend.mispredict.cycles", "cycles", ""}));

#define SIZE FINDINGS({"test.size", "bytes", "something"})

/* Probes are ordered by family and name, unless `after` or `gate` says otherwise. */
PROBE(zz_gate, .title = "", .family = "zz", .gate = true, .run = run_gate, .findings = SIZE);
PROBE(good, .title = "", .family = "b", .run = run_good, .findings = SIZE);
PROBE(undeclared, .title = "", .family = "b", .run = run_other_finding, .findings = FINDINGS({"test.other", "", ""}),
      .only_named = true);
PROBE(declares_nothing, .title = "", .family = "b", .run = run_other_finding, .only_named = true);
PROBE(faulty, .title = "", .family = "b", .run = run_faulty, .only_named = true);
PROBE(endless, .title = "", .family = "b", .run = run_endless, .only_named = true);
PROBE(early, .title = "", .family = "c", .run = run_nothing);
PROBE(behind_last, .title = "", .family = "a", .after = "last", .run = run_nothing);
PROBE(behind_behind, .title = "", .family = "a", .after = "behind_last", .run = run_nothing);
PROBE(behind_nobody, .title = "", .family = "a", .after = "there_is_no_such_probe", .run = run_nothing);
PROBE(ring_a, .title = "", .family = "r", .after = "ring_c", .run = run_nothing);
PROBE(ring_b, .title = "", .family = "r", .after = "ring_a", .run = run_nothing);
PROBE(ring_c, .title = "", .family = "r", .after = "ring_b", .run = run_nothing);
PROBE(itself, .title = "", .family = "r", .after = "itself", .run = run_nothing);
PROBE(last, .title = "", .family = "z", .run = run_nothing);

const char *const ALL[] = {
    "zz_gate",       "good",          "undeclared",   "declares_nothing", "faulty",   "endless", "early", "behind_last",
    "behind_behind", "behind_nobody", "ring_a",       "ring_b",           "ring_c",   "itself",  "last",  "line",
    "behind_line",   "second_line",   "needs_behind", "circle_a",         "circle_b", "reports"};
_Static_assert(sizeof ALL / sizeof ALL[0] == PROBES, "PROBES counts the probes");

/* ---- One run ------------------------------------------------------------------------------------ */

struct run prepared(const char *plan)
{
    struct run r = {.number = 7};

    machine.info = (struct machine_info){.platform = "test", .isa = "x86_64", .tick_hz = 1e9, .core = 3};
    probing.ran[0] = machine.screen[0] = 0;
    memset(probing.to_report, 0, sizeof probing.to_report);
    probing.taken = probing.shared = probing.stolen = 0;
    probing.measures_line = true;
    probing.line_seen = -1;
    probing.cause = NULL;
    probing.gate_speaks = true;
    probing.untrusted_core = CORES;
    for (unsigned i = 0; i < CORES; i++)
        machine.cores[i] = (struct machine_core){.index = i, .id = 0x100 * i};
    memset(machine.refuses, 0, sizeof machine.refuses);
    machine.used[0] = 0;
    machine.no_windows = machine.no_memory = false;
    machine.windows = 0;
    machine.pages = 0;
    machine.seconds = machine.seconds_a_look = 0;
    machine.control = NULL;
    machine.mapped = 5;
    records_free(&records);
    config_defaults(&r.config);
    r.config.bringup = BRINGUP_OFF;
    snprintf(r.config.probes, sizeof r.config.probes, "%s", plan);
    journal_start(&r.journal, "0");
    writer_start(&r.writer);
    assert_true(writer_add(&r.writer, records_sink(&records)));
    return r;
}

int run_now(struct run *r)
{
    int status = run_all(r);
    writer_stop(&r->writer);
    facts_forget(&facts);
    facts = r->facts;
    r->facts = (struct facts){0};
    return status;
}

void assert_value(const char *line, const char *key, const char *value)
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

const char *end_of(const char *probe)
{
    const char *start = records_find(&records, NULL, "start", "probe", probe);
    assert_non_null(start);
    assert_value(start, "core", "3");
    assert_value(start, "type", NULL);
    assert_null(records_find(&records, start, "start", "probe", probe));
    return records_find(&records, start, "end", "probe", probe);
}
