/* The environment of a run, on modelled registers: settings are made, verified, recorded, and restored. */
/* link: arch/control.c arch/access.c arch/x86_64/cpu.c arch/x86_64/prefetch.c arch/x86_64/frequency.c */
/* link: arch/x86_64/control.c arch/x86_64/quirks.c arch/x86_64/identify.c tests/registers/model.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "lib/base/record.h"
#include "lib/run/environment.h"
#include "lib/run/run.h"
#include "lib/run/stage.h"
#include "tests/records.h"
#include "tests/registers/model.h"

/* ---- A Skylake, whose clock follows IA32_PERF_CTL ------------------------------------------------------------ */

enum { SWITCHES = 0x1a4, PERF_CTL = 0x199, PLATFORM_INFO = 0xce, LIMIT = 0x1ad, MISC_ENABLE = 0x1a0 };

const char reader_empty_kernel[1], reader_chain_kernel[1], reader_half_chain_kernel[1], reader_width_kernel[1];
static struct machine_info info = {.core = 4, .tick_hz = 1e9};
static struct model m;
static struct access a;
static struct control control;
static bool reachable;
static double seconds;
/* Of the modelled clock: its reference, how long it takes to follow, its ratio, and when it was right last. */
static double reference_hz, clock_seconds, clock_right;
static unsigned clock_ratio;
static struct run run;
static struct records records;

const struct machine_info *machine_info(void)
{
    return &info;
}

struct control *machine_control(const char **why_not)
{
    *why_not = reachable ? NULL : "there are no registers here";
    return reachable ? &control : NULL;
}

double machine_seconds(void)
{
    return seconds;
}

void machine_print(const char *text)
{
    (void)text;
}

void machine_print_strong(const char *text)
{
    (void)text;
}

void machine_stage(const char *text)
{
    (void)text;
}

struct window_result machine_window(struct reading *list, size_t count)
{
    const unsigned wanted = model_at(&m, PERF_CTL)->value >> 8 & 0xff;

    clock_right = clock_ratio == wanted ? seconds : clock_right;
    for (size_t i = 0; i < count; i++) {
        clock_ratio = seconds - clock_right >= clock_seconds ? wanted : clock_ratio;
        const double hz = reference_hz * clock_ratio;
        double ns = (double)(list[i].argument[0] * READER_CHAIN) / hz * 1e9;
        list[i].begin_ticks = (uint64_t)(seconds * 1e9);
        seconds += ns * 1e-9;
        list[i].end_ticks = list[i].begin_ticks + (uint64_t)ns;
    }
    return (struct window_result){.end = WINDOW_RAN};
}

static int prepare(void **state)
{
    (void)state;
    memset(&m, 0, sizeof m);
    model_cpuid(&m, 0, 0, 0x16, 0x756e6547, 0x6c65746e, 0x49656e69); /* GenuineIntel */
    model_cpuid(&m, 1, 0, 0x506e3, 0, 1 << 7, 1 << 14 | 1 << 22);
    model_cpuid(&m, 6, 0, 1 << 1, 0, 0, 0);
    model_register(&m, "SWITCHES", SWITCHES, 0, 0xf);
    model_register(&m, "MISC_ENABLE", MISC_ENABLE, 0x850089, 0)->allowed = 0;
    model_register(&m, "PLATFORM_INFO", PLATFORM_INFO, 0x80000002200, 0)->allowed = 0;
    model_register(&m, "LIMIT", LIMIT, 0x2a, 0)->allowed = 0;
    model_register(&m, "PERF_CTL", PERF_CTL, 0x2a00, 0x10000ff00);
    model_register(&m, "SMI_COUNT", 0x34, 5, 0)->allowed = 0;
    model_register(&m, "THERM_STATUS", 0x19c, 0x88340000, 0)->allowed = 0;
    model_register(&m, "MCG_CAP", 0x179, 1, 0)->allowed = 0;
    model_register(&m, "MC0_STATUS", 0x401, 0, 0)->allowed = 0;
    a = model_access(&m);
    reachable = true;
    seconds = 1;
    reference_hz = 100e6;
    clock_seconds = 0;
    clock_ratio = 0x2a;
    control_start(&control, &a);

    records = (struct records){0};
    memset(&run, 0, sizeof run);
    config_defaults(&run.config);
    run.meter.chain_iterations = 200;
    run.meter.tick_hz = info.tick_hz;
    writer_start(&run.writer);
    writer_add(&run.writer, records_sink(&records));
    journal_start(&run.journal, "00000000deadbeef");
    stage_start(&run);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    writer_stop(&run.writer);
    records_free(&records);
    return 0;
}

static void describe(void)
{
    struct record r;

    record_start(&r, &run.writer, "environment");
    environment_describe(&run, &r);
    record_send(&r);
}

/* Whether a line of the records has this text. */
static bool is_recorded(const char *text)
{
    return records.text && strstr(records.text, text);
}

/* ---- Tests ------------------------------------------------------------------------------------------------------ */

static void without_settings_nothing_is_changed(void **state)
{
    (void)state;
    environment_set(&run);
    describe();
    assert_true(is_recorded(
        "\"prefetch\":{\"l2-stream\":\"on\",\"l2-adjacent\":\"on\",\"l1d-next\":\"on\",\"l1d-ip\":\"on\"}"));
    environment_restore(&run);
    model_assert_writes(&m, "");
    model_assert_as_found(&m);
    assert_null(records_find(&records, NULL, "restored", NULL, NULL));
    assert_null(records_find(&records, NULL, "warning", NULL, NULL));
}

/* Sapphire Rapids: of its eight switches PerfSpect alone names the last two. */
static void what_one_source_alone_says_is_marked(void **state)
{
    (void)state;
    model_cpuid(&m, 1, 0, 0x806f8, 0, 1 << 7, 1 << 14 | 1 << 22);
    model_register(&m, "MORE", 0x6d, 0, 0);
    control_start(&control, &a);
    describe();
    assert_true(is_recorded("\"switches\":[{\"name\":\"l2-stream\",\"register\":\"MSR_MISC_FEATURE_CONTROL\",\"scope\":"
                            "\"core\",\"source\":\"Intel 2014; SDM; pepc; CoreFreq\",\"single_source\":false},"));
    assert_true(is_recorded("{\"name\":\"homeless\",\"register\":\"MSR_0000006D\",\"scope\":\"core\",\"source\":"
                            "\"PerfSpect\",\"single_source\":true},"));
    model_cpuid(&m, 1, 0, 0xd06f8, 0, 1 << 7, 1 << 14 | 1 << 22); /* no such model */
    control_start(&control, &a);
    records.used = 0;
    describe();
    assert_true(is_recorded("\"no_prefetch\":"));
    assert_false(is_recorded("\"switches\":"));
}

static void settings_are_made_recorded_and_restored(void **state)
{
    (void)state;
    snprintf(run.config.prefetch, sizeof run.config.prefetch, "off");
    snprintf(run.config.frequency, sizeof run.config.frequency, "fixed");
    environment_set(&run);
    assert_int_equal(model_at(&m, SWITCHES)->value, 0xf);
    assert_true(fabs(run.environment.hz_before - 4200e6) <= 1e6);
    assert_true(fabs(run.environment.hz_set - 3400e6) <= 1e6);
    describe();
    assert_true(is_recorded("\"l1d-ip\":\"off, was on; effect not verified here\""));
    assert_true(is_recorded("\"wanted_hz\":3400000000"));
    environment_restore(&run);
    model_assert_as_found(&m);
    const char *line = records_find(&records, NULL, "restored", "as_found", "true");
    assert_non_null(line);
    assert_true(fabs(strtod(record_value(line, "clock_hz", 0), NULL) - 4200e6) <= 1e6);
    assert_null(records_find(&records, NULL, "warning", NULL, NULL));
}

/* The register reads back as written, but the clock stays as it was. */
static void a_clock_that_does_not_follow_is_reported(void **state)
{
    (void)state;
    model_at(&m, PERF_CTL)->kind = MODEL_LIES;
    snprintf(run.config.frequency, sizeof run.config.frequency, "20");
    environment_set(&run);
    const char *line = records_find(&records, NULL, "warning", "subject", "frequency");
    assert_non_null(line);
    assert_string_equal(record_value(line, "text", 0),
                        "20 was taken by IA32_PERF_CTL, which is 2000 MHz, but the core runs at 4200 MHz");
    environment_restore(&run);
}

/* SETTLE_SECONDS: hardware that chooses the clock takes 10 ms and more to follow. */
static void a_clock_is_measured_when_it_has_followed(void **state)
{
    (void)state;
    clock_seconds = 0.025;
    snprintf(run.config.frequency, sizeof run.config.frequency, "fixed");
    environment_set(&run);
    assert_true(fabs(run.environment.hz_set - 3400e6) <= 1e6);
    environment_restore(&run);
    const char *line = records_find(&records, NULL, "restored", NULL, NULL);
    assert_true(fabs(strtod(record_value(line, "clock_hz", 0), NULL) - 4200e6) <= 1e6);
    assert_null(records_find(&records, NULL, "warning", NULL, NULL));
}

/* CLOCK_TOLERANCE: a clock a percent below the wanted one is the wanted one, that of the next ratio is not. */
static void a_spread_clock_is_the_wanted_one_and_the_next_is_not(void **state)
{
    (void)state;
    reference_hz = 99e6;
    snprintf(run.config.frequency, sizeof run.config.frequency, "fixed");
    environment_set(&run);
    assert_null(records_find(&records, NULL, "warning", NULL, NULL));
    environment_restore(&run);

    reference_hz = 100e6;
    model_at(&m, PERF_CTL)->kind = MODEL_LIES;
    snprintf(run.config.frequency, sizeof run.config.frequency, "41");
    environment_set(&run);
    assert_non_null(records_find(&records, NULL, "warning", "subject", "frequency"));
    environment_restore(&run);
}

static void impossible_settings_become_warnings(void **state)
{
    (void)state;
    snprintf(run.config.prefetch, sizeof run.config.prefetch, "l9=off,l1d-ip=off");
    snprintf(run.config.frequency, sizeof run.config.frequency, "999");
    environment_set(&run);
    assert_int_equal(model_at(&m, SWITCHES)->value, 8);
    assert_true(is_recorded("l9: there is no such switch"));
    assert_true(is_recorded("999: this core has no such ratio"));
    environment_restore(&run);
    model_assert_as_found(&m);

    reachable = false;
    environment_set(&run);
    assert_true(is_recorded("\"subject\":\"prefetch\",\"text\":\"there are no registers here\""));
    assert_true(is_recorded("\"subject\":\"frequency\",\"text\":\"there are no registers here\""));
    describe();
    assert_true(is_recorded("\"no_control\":\"there are no registers here\""));
    environment_watch(&run, "nothing");
    environment_restore(&run);
}

static void a_register_that_cannot_be_restored_is_reported(void **state)
{
    (void)state;
    snprintf(run.config.prefetch, sizeof run.config.prefetch, "l1d-ip=off");
    environment_set(&run);
    model_at(&m, SWITCHES)->sticky = 8;
    environment_restore(&run);
    assert_non_null(records_find(&records, NULL, "restored", "as_found", "false"));
    assert_non_null(records_find(&records, NULL, "warning", "subject", "environment"));
}

static void machine_checks_are_reported(void **state)
{
    (void)state;
    environment_set(&run);
    environment_watch(&run, "a probe");
    assert_false(is_recorded("machine-check"));
    model_at(&m, 0x401)->value = UINT64_C(1) << 63;
    environment_watch(&run, "a probe");
    assert_true(is_recorded("during a probe the error banks that hold something went from 0 to 1"));
    environment_restore(&run);
}

static void system_management_interrupts_are_counted(void **state)
{
    uint32_t before, after;

    (void)state;
    model_at(&m, 0x34)->value = 0xffffffff; /* 32 bits: the count begins again */
    environment_set(&run);
    assert_true(environment_smis(&run, &before));
    model_at(&m, 0x34)->value = 2;
    assert_true(environment_smis(&run, &after));
    assert_int_equal(after - before, 3);
    environment_restore(&run);
    reachable = false;
    assert_false(environment_smis(&run, &after));
}

/* ---- Writes that may hang the machine ------------------------------------------------------------------------ */

/* Marks the switches as on a core whose firmware may hang at a write. */
static void make_risky(void)
{
    control.switches[0].hazard = HAZARD_HANGS;
    run.config.risky_prefetch = true;
}

static void risky_writes_are_in_the_journal_before_they_are_tried(void **state)
{
    (void)state;
    make_risky();
    environment_set(&run);
    model_assert_writes(&m, "w SWITCHES 1\nw SWITCHES 0\n");
    const char *stage = records_find(&records, NULL, "stage", "stage", "switch-l2-stream");
    assert_non_null(stage);
    assert_null(record_value(stage, "skipped", 0));
    assert_true(control.risky);
    environment_restore(&run);
    model_assert_as_found(&m);
}

static void writes_that_hung_are_not_tried_again(void **state)
{
    struct records before = {0};
    struct writer w;
    struct record r;

    (void)state;
    writer_start(&w);
    writer_add(&w, records_sink(&before));
    record_start(&r, &w, "run");
    record_text(&r, "fingerprint", "00000000deadbeef");
    record_send(&r);
    record_start(&r, &w, "stage");
    record_text(&r, "stage", "switch-l2-stream");
    record_integer(&r, "core", info.core);
    record_send(&r);
    journal_add(&run.journal, before.text, before.used);
    writer_stop(&w);
    records_free(&before);

    make_risky();
    snprintf(run.config.prefetch, sizeof run.config.prefetch, "l2-stream=off");
    environment_set(&run);
    model_assert_writes(&m, "");
    const char *stage = records_find(&records, NULL, "stage", "stage", "switch-l2-stream");
    assert_non_null(stage);
    assert_string_equal(record_value(stage, "skipped", 0), "true");
    assert_true(is_recorded("this step hung the machine in an earlier run"));
    assert_true(is_recorded("l2-stream: this step hung the machine in an earlier run"));
    environment_restore(&run);
    const size_t at = (size_t)(stage - records.text); /* which moves while it grows */

    control_start(&control, &a); /* the next run */
    make_risky();
    run.config.retry = true;
    environment_set(&run);
    stage = records_find(&records, records.text + at, "stage", "stage", "switch-l2-stream");
    assert_non_null(stage);
    assert_null(record_value(stage, "skipped", 0));
    assert_int_equal(model_at(&m, SWITCHES)->value, 1);
    environment_restore(&run);
    model_assert_as_found(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_settings_nothing_is_changed, prepare, clear),
        cmocka_unit_test_setup_teardown(what_one_source_alone_says_is_marked, prepare, clear),
        cmocka_unit_test_setup_teardown(settings_are_made_recorded_and_restored, prepare, clear),
        cmocka_unit_test_setup_teardown(a_clock_that_does_not_follow_is_reported, prepare, clear),
        cmocka_unit_test_setup_teardown(a_clock_is_measured_when_it_has_followed, prepare, clear),
        cmocka_unit_test_setup_teardown(a_spread_clock_is_the_wanted_one_and_the_next_is_not, prepare, clear),
        cmocka_unit_test_setup_teardown(impossible_settings_become_warnings, prepare, clear),
        cmocka_unit_test_setup_teardown(a_register_that_cannot_be_restored_is_reported, prepare, clear),
        cmocka_unit_test_setup_teardown(machine_checks_are_reported, prepare, clear),
        cmocka_unit_test_setup_teardown(system_management_interrupts_are_counted, prepare, clear),
        cmocka_unit_test_setup_teardown(risky_writes_are_in_the_journal_before_they_are_tried, prepare, clear),
        cmocka_unit_test_setup_teardown(writes_that_hung_are_not_tried_again, prepare, clear),
    };

    return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
