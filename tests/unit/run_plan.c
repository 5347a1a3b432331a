/* Which probes run, in which order, and what is measured first because a probe needs it. */
/* link: tests/unit/fake_run/machine.c tests/unit/fake_run/probes.c arch/emit.c arch/x86_64/emit.c arch/x86_64/cpu.c */
/* link: arch/control.c arch/access.c arch/x86_64/prefetch.c arch/x86_64/frequency.c */
/* link: arch/x86_64/control.c arch/x86_64/quirks.c arch/x86_64/identify.c */
/* libs: -lm */
#include "lib/base/record.h"
#include "lib/probe/probe.h"
#include "lib/run/plan.h"
#include "tests/unit/fake_run/fake_run.h"

/* ---- Order ------------------------------------------------------------------------------------------------ */

static size_t place(const struct probe_definition *const *order, const char *name)
{
    for (size_t i = 0; i < PROBES; i++)
        if (!strcmp(order[i]->name, name))
            return i;
    fail();
    return 0;
}

static void a_probe_runs_after_the_probe_that_it_names(void **state)
{
    const struct probe_definition *order[PROBES + 1];

    (void)state;
    assert_int_equal(plan_probes(order, PROBES + 1), PROBES);
    for (size_t i = 0; i < PROBES; i++) /* every probe, each once */
        assert_true(place(order, ALL[i]) < PROBES);
    assert_true(place(order, "last") < place(order, "behind_last"));
    assert_true(place(order, "behind_last") < place(order, "behind_behind"));
    assert_string_equal(order[0]->name, "behind_line");   /* first by family; what it needs */
    assert_string_equal(order[1]->name, "behind_nobody"); /* is measured when it runs */
    assert_true(place(order, "good") < place(order, "early"));
    assert_true(place(order, "early") < place(order, "last"));
}

/* A circle is broken at its first probe by name; the others keep their order. */
static void circular_orders_are_broken(void **state)
{
    const struct probe_definition *order[PROBES];

    (void)state;
    assert_int_equal(plan_probes(order, PROBES), PROBES);
    assert_true(place(order, "itself") < PROBES);
    assert_true(place(order, "ring_a") < place(order, "ring_b"));
    assert_true(place(order, "ring_b") < place(order, "ring_c"));
}

static void a_short_list_takes_the_first_probes(void **state)
{
    const struct probe_definition *all[PROBES], *order[PROBES];

    (void)state;
    plan_probes(all, PROBES);
    for (size_t room = 0; room <= PROBES; room++) {
        assert_int_equal(plan_probes(order, room), room);
        for (size_t i = 0; i < room; i++)
            assert_ptr_equal(order[i], all[i]);
    }
}

static void the_gate_runs_first_and_always(void **state)
{
    struct run r = prepared("early");

    (void)state;
    assert_int_equal(run_now(&r), 0);
    assert_string_equal(probing.ran, " zz_gate early");
    r = prepared("early, zz_gate");
    assert_int_equal(run_now(&r), 0);
    assert_string_equal(probing.ran, " zz_gate early");
}

static void an_empty_plan_means_all_probes_but_debug_probes(void **state)
{
    struct run r = prepared("");

    (void)state;
    assert_int_equal(run_now(&r), 0);
    assert_string_equal(probing.ran,
                        " zz_gate line behind_line behind_nobody good early last behind_last behind_behind itself"
                        " ring_a ring_b ring_c");
    assert_value(records_find(&records, NULL, "done", NULL, NULL), "ok", "13");
}

static void unknown_probe_names_stop_the_run(void **state)
{
    struct run r = prepared("early no_such,last");

    (void)state;
    assert_int_equal(run_now(&r), 2);
    assert_string_equal(probing.ran, "");
    assert_int_equal(machine.windows, 0);
    assert_null(records_find(&records, NULL, "start", NULL, NULL));
    const char *warning = records_find(&records, NULL, "warning", NULL, NULL);
    assert_non_null(warning);
    assert_non_null(strstr(record_value(warning, "text", 0), "no_such"));
    const char *done = records_find(&records, NULL, "done", NULL, NULL);
    assert_value(done, "status", "2");
    assert_value(done, "ok", "0");
}

/* ---- Facts, and what probes need -------------------------------------------------------------------------- */

/* A probe that runs alone gets what it needs: the probe that measures it runs first and once, with its records. */
static void a_needed_finding_is_measured_first(void **state)
{
    struct run r = prepared("behind_line");

    (void)state;
    assert_int_equal(run_now(&r), 0);
    assert_string_equal(probing.ran, " zz_gate line behind_line");
    assert_true(probing.line_seen == 64);
    assert_value(end_of("line"), "outcome", "ok");
    assert_non_null(records_find(&records, NULL, "finding", "name", "test.line"));

    r = prepared("behind_line line");
    assert_int_equal(run_now(&r), 0);
    assert_string_equal(probing.ran, " zz_gate line behind_line");
}

static void a_probe_is_skipped_when_its_need_cannot_be_met(void **state)
{
    struct run r = prepared("behind_line");

    (void)state;
    probing.measures_line = false;
    assert_int_equal(run_now(&r), 0);
    assert_string_equal(probing.ran, " zz_gate line");
    const char *end = records_find(&records, NULL, "end", "probe", "behind_line");
    assert_value(end, "outcome", "skipped");
    assert_value(end, "reason", "it needs test.line level=1, which is neither declared nor measured");
    assert_null(records_find(&records, NULL, "start", "probe", "behind_line"));

    /* The line size of another level does not meet the need, nor does a finding that no probe declares. */
    r = prepared("second_line needs_behind");
    assert_int_equal(run_now(&r), 0);
    assert_string_equal(probing.ran, " zz_gate line");
    assert_value(records_find(&records, NULL, "end", "probe", "second_line"), "outcome", "skipped");
    assert_value(records_find(&records, NULL, "end", "probe", "needs_behind"), "reason",
                 "it needs test.nobodys, which is neither declared nor measured");

    /* Where the clock is not trusted, a needed finding is never decided. */
    r = prepared("behind_line");
    probing.cause = "the clock lies";
    assert_int_equal(run_now(&r), 0);
    assert_string_equal(probing.ran, " zz_gate line");
}

static void circular_needs_end(void **state)
{
    struct run r = prepared("circle_a circle_b");

    (void)state;
    assert_int_equal(run_now(&r), 0);
    assert_string_equal(probing.ran, " zz_gate");
    assert_value(records_find(&records, NULL, "end", "probe", "circle_a"), "outcome", "skipped");
    assert_value(records_find(&records, NULL, "end", "probe", "circle_b"), "outcome", "skipped");
}

/* What the core declares is a fact without being measured, and is in the machine record. */
static void declared_facts_are_known_from_the_start(void **state)
{
    static const struct identity_cache caches[] = {
        {.level = 1, .holds = HOLDS_DATA, .bytes = 49152, .line_bytes = 64, .source = "cpuid.4"},
        {.level = 1, .holds = HOLDS_INSTRUCTIONS, .bytes = 32768, .source = "cpuid.4"}};
    static const struct identity_tlb tlbs[] = {
        {.level = 1, .holds = HOLDS_DATA, .loads = true, .page = "4k", .entries = 96, .source = "cpuid.18"}};
    struct run r = prepared("early");

    (void)state;
    machine.info.caches = caches;
    machine.info.cache_count = 2;
    machine.info.tlbs = tlbs;
    machine.info.tlb_count = 1;
    assert_int_equal(run_now(&r), 0);
    assert_true(facts_number(&facts, "memory.cache.bytes", "level=1", 0) == 49152);
    const char *record = records_find(&records, NULL, "machine", NULL, NULL);
    assert_non_null(strstr(record, "\"declared\":{\"cpuid.4\":{\"memory.cache.bytes level=1\":49152,"
                                   "\"memory.cache.line_bytes level=1\":64,\"frontend.l1i.bytes\":32768},"
                                   "\"cpuid.18\":{\"memory.dtlb.entries level=1 page=4k access=load\":96}}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_probe_runs_after_the_probe_that_it_names),
        cmocka_unit_test(circular_orders_are_broken),
        cmocka_unit_test(a_short_list_takes_the_first_probes),
        cmocka_unit_test(the_gate_runs_first_and_always),
        cmocka_unit_test(an_empty_plan_means_all_probes_but_debug_probes),
        cmocka_unit_test(unknown_probe_names_stop_the_run),
        cmocka_unit_test(a_needed_finding_is_measured_first),
        cmocka_unit_test(a_probe_is_skipped_when_its_need_cannot_be_met),
        cmocka_unit_test(circular_needs_end),
        cmocka_unit_test(declared_facts_are_known_from_the_start),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
