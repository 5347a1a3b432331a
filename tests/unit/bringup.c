/* The bring-up page: when it is made, and what it says where things go wrong. */
/* link: tests/unit/fake_run/machine.c tests/unit/fake_run/probes.c arch/emit.c arch/x86_64/emit.c arch/x86_64/cpu.c */
/* link: arch/control.c arch/access.c arch/x86_64/prefetch.c arch/x86_64/frequency.c */
/* link: arch/x86_64/control.c arch/x86_64/quirks.c arch/x86_64/identify.c */
/* libs: -lm */
#include "lib/base/record.h"
#include "tests/unit/fake_run/fake_run.h"

static struct run asked_for(const char *profile)
{
    struct run r = prepared("good");
    char why[320];

    r.config.bringup = BRINGUP_AUTO;
    assert_true(config_set(&r.config, "profile", profile, why, sizeof why));
    return r;
}

/* The line of the page with this text in it; NULL: there is none. */
static const char *line_with(const char *text)
{
    for (size_t i = 0; i < machine.page.count; i++)
        if (strstr(machine.page.text[i], text))
            return machine.page.text[i];
    return NULL;
}

/* The record has the lines that were shown, and each of them fits an 80-column screen. */
static void assert_page_recorded(void)
{
    const char *record = records_find(&records, NULL, "bringup", NULL, NULL);

    assert_int_equal(machine.pages, 1);
    assert_value(record, "core", "3");
    assert_null(records_find(&records, record, "bringup", NULL, NULL));
    for (size_t i = 0; i < machine.page.count; i++) {
        char quoted[LINE_COLUMNS + 3];
        snprintf(quoted, sizeof quoted, "\"%s\"", machine.page.text[i]);
        assert_non_null(strstr(record, quoted));
        assert_true(strlen(machine.page.text[i]) < 80);
    }
}

static void the_profile_makes_the_page_and_runs_the_gate_alone(void **state)
{
    struct run r = asked_for("bringup");

    (void)state;
    strcpy(r.config.cores, "all");
    r.journal.ended_well = 1; /* though a run of this machine has ended well */
    machine.seconds_a_look = 1e-5;
    machine.info.no_deadline = "there is no timer";
    assert_int_equal(run_now(&r), 0);
    assert_page_recorded();
    assert_value(records_find(&records, NULL, "run", NULL, NULL), "profile", "bringup");
    assert_string_equal(probing.ran, " zz_gate");
    assert_string_equal(machine.used, ""); /* no other core is started */
    assert_non_null(line_with("the platform's part"));
    assert_non_null(line_with("deadline: there is no timer"));
    assert_non_null(line_with("registers: there are no registers"));
    assert_non_null(line_with("addition "));
    assert_non_null(line_with("readings"));
    assert_non_null(line_with("interrupts in windows 0.0/s"));
    assert_non_null(line_with("system management interrupts are not counted"));
}

static void the_first_run_on_a_machine_makes_the_page_by_itself(void **state)
{
    struct run r = asked_for("quick");

    (void)state;
    machine.seconds_a_look = 1e-5;
    assert_int_equal(run_now(&r), 0);
    assert_page_recorded();
    assert_string_equal(probing.ran, " zz_gate good");

    r = asked_for("quick"); /* an earlier run has ended well */
    r.journal.ended_well = 1;
    assert_int_equal(run_now(&r), 0);
    assert_int_equal(machine.pages, 0);

    r = asked_for("quick"); /* no volume keeps runs: then the page is all that can be sent */
    r.number = 0;
    assert_int_equal(run_now(&r), 0);
    assert_int_equal(machine.pages, 1);

    r = asked_for("quick");
    r.config.bringup = BRINGUP_OFF;
    assert_int_equal(run_now(&r), 0);
    assert_int_equal(machine.pages, 0);
    assert_null(records_find(&records, NULL, "bringup", NULL, NULL));
}

/* Then the page is wanted most. */
static void a_fault_in_the_first_window_is_on_the_page(void **state)
{
    struct run r = asked_for("bringup");

    (void)state;
    machine.no_windows = true;
    assert_int_equal(run_now(&r), 1);
    assert_page_recorded();
    assert_non_null(line_with("windows: in the step first-window one ended by page-fault"));
    assert_non_null(line_with("the platform's part"));
    assert_null(line_with("addition"));
    assert_null(line_with("interrupts"));
    assert_string_equal(probing.ran, "");
}

/* The loop that watches for a second ends all the same, and no rate is made up. */
static void a_clock_that_stands_still_is_said(void **state)
{
    struct run r = asked_for("bringup");

    (void)state;
    assert_int_equal(run_now(&r), 0);
    assert_page_recorded();
    assert_non_null(line_with("interrupts: no rates, since the clock of this machine stands still"));
    assert_null(line_with("/s"));
    assert_null(line_with("nan"));
    assert_null(line_with("inf"));
}

static void what_hung_the_machine_is_left_out(void **state)
{
    struct run r = asked_for("quick");

    (void)state;
    machine.seconds_a_look = 1e-5;
    r.journal.entries[0] = (struct journal_entry){.name = "stage switch-l2@3", .unended = 1};
    r.journal.count = 1;
    assert_int_equal(run_now(&r), 0);
    assert_non_null(line_with("hung before: stage switch-l2@3"));

    r = asked_for("quick");
    r.journal.entries[0] = (struct journal_entry){.name = "stage bringup@3", .unended = 1};
    r.journal.count = 1;
    assert_int_equal(run_now(&r), 0);
    assert_int_equal(machine.pages, 0);
    assert_value(records_find(&records, NULL, "stage", "stage", "bringup"), "skipped", "true");
    assert_string_equal(probing.ran, " zz_gate good");
}

/* ---- System management interrupts ---------------------------------------------------------------- */

enum { MSR_SMI_COUNT = 0x34 };
static double smi_seconds; /* between two of them; 0: the register cannot be read */

static bool read_register(void *context, uint32_t id, uint64_t *value)
{
    (void)context;
    if (id != MSR_SMI_COUNT || !(smi_seconds > 0))
        return false;
    *value = (uint64_t)(machine.seconds / smi_seconds);
    return true;
}

static bool write_register(void *context, uint32_t id, uint64_t value)
{
    (void)context, (void)id, (void)value;
    return false;
}

static void read_cpuid(void *context, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    (void)context, (void)subleaf;
    memset(out, 0, 4 * sizeof out[0]);
    if (leaf == 0)
        memcpy(out, (const uint32_t[]){1, 0x756e6547, 0x6c65746e, 0x49656e69}, 4 * sizeof out[0]); /* GenuineIntel */
}

static void system_management_interrupts_are_counted_by_their_register(void **state)
{
    static const struct access registers = {.read = read_register, .write = write_register, .cpuid = read_cpuid};
    static struct control control;
    struct run r = asked_for("bringup");
    const char *line;

    (void)state;
    control.changes.access = &registers;
    machine.control = &control;
    machine.seconds_a_look = 1e-5;
    smi_seconds = 0.05;
    assert_int_equal(run_now(&r), 0);
    assert_page_recorded();
    assert_non_null(line_with("registers: can be accessed"));
    line = line_with("system management interrupts ");
    assert_non_null(line);
    const double rate = strtod(strstr(line, "system management interrupts ") + 29, NULL);
    assert_true(rate > 18 && rate < 22); /* 20 a second, over one second: one more or less */

    r = asked_for("bringup");
    machine.control = &control;
    machine.seconds_a_look = 1e-5;
    smi_seconds = 0;
    assert_int_equal(run_now(&r), 0);
    assert_non_null(line_with("registers: can be accessed"));
    assert_non_null(line_with("system management interrupts are not counted"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_profile_makes_the_page_and_runs_the_gate_alone),
        cmocka_unit_test(the_first_run_on_a_machine_makes_the_page_by_itself),
        cmocka_unit_test(a_fault_in_the_first_window_is_on_the_page),
        cmocka_unit_test(a_clock_that_stands_still_is_said),
        cmocka_unit_test(what_hung_the_machine_is_left_out),
        cmocka_unit_test(system_management_interrupts_are_counted_by_their_register),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
