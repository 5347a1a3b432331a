/* How probes end, with records of faults and reasons, and when the results of a run may be trusted. */
/* link: tests/unit/fake_run/machine.c tests/unit/fake_run/probes.c arch/emit.c arch/x86_64/emit.c arch/x86_64/cpu.c */
/* link: arch/control.c arch/access.c arch/x86_64/prefetch.c arch/x86_64/frequency.c */
/* link: arch/x86_64/control.c arch/x86_64/quirks.c arch/x86_64/identify.c */
/* libs: -lm */
#include "lib/base/record.h"
#include "tests/unit/fake_run/fake_run.h"

/* ---- Outcomes --------------------------------------------------------------------------------------------- */

static void a_good_probe_starts_reports_and_ends(void **state)
{
    struct run r = prepared("good");

    (void)state;
    assert_int_equal(run_now(&r), 0);
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
    assert_int_equal(machine.mapped, 5); /* the probe's memory was released */
}

/* A finding without a value is undecided, whatever grade the probe gives it. */
static void a_finding_without_value_is_undecided(void **state)
{
    struct run r = prepared("good");

    (void)state;
    assert_int_equal(run_now(&r), 0);
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
    assert_int_equal(run_now(&r), 1);
    assert_string_equal(probing.ran, " zz_gate endless faulty early");
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

/* A kernel that faulted before has a fault record of its own in front of this one. */
static void writing_outside_its_memory_is_a_fault(void **state)
{
    (void)state;
    for (unsigned faulty = 0; faulty < 2; faulty++) {
        const char *probe = faulty ? "faulty" : "early";
        char plan[32];
        snprintf(plan, sizeof plan, "%s last", probe);
        struct run r = prepared(plan);
        machine.writes_outside = probe;
        assert_int_equal(run_now(&r), 1);
        machine.writes_outside = NULL;
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
    static const char *const names[] = {"undeclared", "declares_nothing"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct run r = prepared(names[i]);
        assert_int_equal(run_now(&r), 1);
        assert_value(end_of(names[i]), "outcome", "fault");
        assert_value(records_find(&records, NULL, "fault", NULL, NULL), "vector", "undeclared-finding");
        assert_value(records_find(&records, NULL, "warning", NULL, NULL), "subject", "test.size");
        assert_null(records_find(&records, NULL, "finding", NULL, NULL));
        assert_value(records_find(&records, NULL, "done", NULL, NULL), "findings", "0");
    }
}

static void a_probe_is_skipped_when_the_platform_lacks_something(void **state)
{
    struct run r = prepared("good");

    (void)state;
    machine.no_memory = true;
    assert_int_equal(run_now(&r), 0);
    assert_value(end_of("good"), "outcome", "skipped");
    assert_value(end_of("good"), "reason", "no memory is left");
    assert_null(records_find(&records, NULL, "finding", NULL, NULL));
}

/* A probe that started twice and never ended is not started again, unless the configuration has retry = all. */
static void the_journal_skips_probes_that_never_ended(void **state)
{
    (void)state;
    for (unsigned unended = 0; unended < 4; unended++)
        for (int retry = 0; retry < 2; retry++) {
            struct run r = prepared("good early");
            bool skips = unended >= 2 && !retry;
            r.config.retry = retry;
            r.journal.count = 1;
            r.journal.entries[0] = (struct journal_entry){.name = "good", .starts = unended, .unended = unended};
            assert_int_equal(run_now(&r), 0);
            assert_string_equal(probing.ran, skips ? " zz_gate early" : " zz_gate good early");
            const char *end = records_find(&records, NULL, "end", "probe", "good");
            assert_value(end, "outcome", skips ? "skipped" : "ok");
            assert_true((record_value(end, "reason", 0) != NULL) == skips);
            /* the journal would count another start without an end */
            assert_true((records_find(&records, NULL, "start", "probe", "good") == NULL) == skips);
        }
}

static void done_counts_outcomes(void **state)
{
    struct run r = prepared("good faulty endless undeclared early last");

    (void)state;
    r.journal.count = 1;
    r.journal.entries[0] = (struct journal_entry){.name = "last", .starts = 2, .unended = 2};
    assert_int_equal(run_now(&r), 1);
    const char *done = records_find(&records, NULL, "done", NULL, NULL);
    assert_value(done, "ok", "3"); /* the gate is one of them */
    assert_value(done, "skipped", "1");
    assert_value(done, "fault", "2");
    assert_value(done, "timeout", "1");
    assert_value(done, "findings", "2");
    assert_value(done, "lost_lines", "0");
    assert_value(done, "status", "1");
    assert_string_equal(strchr(done, '\n'), "\n"); /* the last line */
}

/* When no window can be run, no probe is started, and the run gives the reason. */
static void a_platform_without_windows_fails_the_run(void **state)
{
    struct run r = prepared("");

    (void)state;
    machine.no_windows = true;
    assert_int_equal(run_now(&r), 1);
    assert_string_equal(probing.ran, "");
    assert_value(records_find(&records, NULL, "warning", NULL, NULL), "subject", "window");
    assert_value(records_find(&records, NULL, "done", NULL, NULL), "status", "1");
}

/* ---- Trust ------------------------------------------------------------------------------------------------ */

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

static void nothing_is_decided_on_an_untrusted_platform(void **state)
{
    struct run r = prepared("good");

    (void)state;
    probing.cause = "the clock lies";
    assert_int_equal(run_now(&r), 0);
    assert_all_undecided("the clock lies");
    assert_true(isinf(r.meter.tolerance)); /* points are measured all the same */
}

/* A gate that reached no verdict, or did not run, has not trusted the clock. */
static void without_a_verdict_of_the_gate_nothing_is_trusted(void **state)
{
    struct run r = prepared("good");

    (void)state;
    probing.gate_speaks = false;
    assert_int_equal(run_now(&r), 0);
    assert_all_undecided("the clock was not examined");

    r = prepared("good");
    r.journal.count = 1;
    r.journal.entries[0] = (struct journal_entry){.name = "zz_gate", .starts = 2, .unended = 2};
    assert_int_equal(run_now(&r), 0);
    assert_string_equal(probing.ran, " good");
    assert_all_undecided("the clock was not examined");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_probe_starts_reports_and_ends),
        cmocka_unit_test(a_finding_without_value_is_undecided),
        cmocka_unit_test(faults_are_recorded_and_the_run_goes_on),
        cmocka_unit_test(writing_outside_its_memory_is_a_fault),
        cmocka_unit_test(an_undeclared_finding_fails_its_probe),
        cmocka_unit_test(a_probe_is_skipped_when_the_platform_lacks_something),
        cmocka_unit_test(the_journal_skips_probes_that_never_ended),
        cmocka_unit_test(done_counts_outcomes),
        cmocka_unit_test(a_platform_without_windows_fails_the_run),
        cmocka_unit_test(nothing_is_decided_on_an_untrusted_platform),
        cmocka_unit_test(without_a_verdict_of_the_gate_nothing_is_trusted),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
