/* One run on several cores: each has its own records, facts and trust. */
/* link: tests/unit/fake_run/machine.c tests/unit/fake_run/probes.c arch/emit.c arch/x86_64/emit.c arch/x86_64/cpu.c */
/* link: arch/control.c arch/access.c arch/x86_64/prefetch.c arch/x86_64/frequency.c */
/* link: arch/x86_64/control.c arch/x86_64/quirks.c arch/x86_64/identify.c */
/* libs: -lm */
#include "lib/finding/finding.h"
#include "tests/unit/fake_run/fake_run.h"

/* Each core has machine and environment records and findings of its own; at the end the first core is in use again. */
static void every_requested_core_measures(void **state)
{
    struct run r = prepared("good line behind_line");
    const char *line = NULL, *end;

    (void)state;
    strcpy(r.config.cores, "4 0-1, 0");
    strcpy(machine.cores[4].type, "P");
    assert_int_equal(run_now(&r), 0);
    assert_string_equal(machine.used, " 4 0 1 3");
    assert_string_equal(probing.ran, " zz_gate line behind_line good zz_gate line behind_line good"
                                     " zz_gate line behind_line good");
    /* Of the core that booted, which does not measure. */
    line = records_find(&records, NULL, "machine", NULL, NULL);
    assert_value(line, "core", "3");
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

/* A finding of one core is no fact for the next core. */
static void cores_share_no_facts(void **state)
{
    struct run r = prepared("reports");

    (void)state;
    strcpy(r.config.cores, "0 1");
    probing.to_report[0] = (struct finding){
        .name = "memory.cache.bytes", .variants = {{"level", .number = 1}}, .value = 1, .grade = 'C'};
    assert_int_equal(run_now(&r), 0);
    assert_int_equal(facts.count, 1);
    assert_int_equal(r.kept_count, 0);
}

static void one_core_of_each_type_by_default(void **state)
{
    struct run r = prepared("early");

    (void)state;
    for (unsigned i = 0; i < CORES; i++)
        strcpy(machine.cores[i].type, i < 3 ? "E" : "P");
    strcpy(machine.info.core_type, "P");
    machine.cores[0].why_not = "it is off";
    assert_int_equal(run_now(&r), 0);
    assert_string_equal(machine.used, " 1 3");
    assert_value(records_find(&records, NULL, "done", NULL, NULL), "cores", "2");
    assert_null(records_find(&records, NULL, "warning", NULL, NULL));

    r = prepared("early"); /* no types: only the core in use, which need not be chosen */
    assert_int_equal(run_now(&r), 0);
    assert_string_equal(machine.used, "");
}

static void cores_that_cannot_be_used_are_reported(void **state)
{
    struct run r = prepared("early");
    const char *line;

    (void)state;
    strcpy(r.config.cores, "999");
    assert_int_equal(run_now(&r), 0);
    line = records_find(&records, NULL, "warning", "text", "there is no core 999; this machine has 0 to 4");
    assert_value(line, "subject", "cores");
    assert_non_null(strstr(line, "no core that was asked for can be had: core 3 measures"));
    assert_string_equal(probing.ran, " zz_gate early");
    assert_non_null(strstr(machine.screen, "there is no core 999"));

    r = prepared("early");
    strcpy(r.config.cores, "all");
    machine.refuses[1] = "it does not start: denied";
    machine.cores[2].why_not = "it is disabled";
    assert_int_equal(run_now(&r), 1);
    assert_string_equal(machine.used, " 0 3 4 3");
    line = records_find(&records, NULL, "warning", NULL, NULL);
    assert_value(line, "text", "core 2 cannot be used: it is disabled");
    line = records_find(&records, line, "warning", NULL, NULL);
    assert_value(line, "text", "core 1 cannot be used: it does not start: denied");
    line = records_find(&records, NULL, "done", NULL, NULL);
    assert_value(line, "cores", "3");
    assert_value(line, "status", "1");
}

/* An untrusted clock of one core leaves the findings of the others as they are, and `done` reports it. */
static void trust_is_decided_for_each_core(void **state)
{
    struct run r = prepared("good");
    const char *line = NULL;

    (void)state;
    strcpy(r.config.cores, "0-2");
    probing.untrusted_core = 1;
    assert_int_equal(run_now(&r), 0);
    for (unsigned i = 0; i < 3; i++) {
        line = records_find(&records, line, "finding", NULL, NULL);
        assert_value(line, "grade", i == 1 ? "U" : "B");
        line = records_find(&records, line, "finding", NULL, NULL); /* it reports two */
    }
    line = records_find(&records, NULL, "done", NULL, NULL);
    assert_value(line, "trusted", "false");
    assert_value(line, "untrusted_cause", "this core's clock lies");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_requested_core_measures),    cmocka_unit_test(cores_share_no_facts),
        cmocka_unit_test(one_core_of_each_type_by_default), cmocka_unit_test(cores_that_cannot_be_used_are_reported),
        cmocka_unit_test(trust_is_decided_for_each_core),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
