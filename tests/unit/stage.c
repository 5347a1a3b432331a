/* Stages: recorded before they begin, and left out after a hang. */
/* libs: -lm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "lib/probe/run_state.h"
#include "lib/run/stage.h"
#include "tests/records.h"

static struct machine_info info = {.core = 2};
static struct records records;
static struct run run;
static double seconds;
static char shown[400];
static size_t recorded_when_shown; /* bytes of records that were written when the screen got its line */

const struct machine_info *machine_info(void)
{
    return &info;
}

double machine_seconds(void)
{
    return seconds;
}

void machine_stage(const char *text)
{
    snprintf(shown, sizeof shown, "%s", text);
    recorded_when_shown = records.used;
}

static void assert_stage(const char *line, const char *name, const char *ms)
{
    assert_non_null(line);
    assert_string_equal(record_value(line, "stage", 2), name);
    assert_string_equal(record_value(line, "core", 2), "2");
    assert_string_equal(record_value(line, "ms", 2), ms);
}

/* Before there is a run, stages are shown; they are recorded once there is one, with the times at which they began. */
static void what_begins_before_the_run_is_recorded_with_it(void **state)
{
    (void)state;
    seconds = 100;
    assert_null(stage_begin("identity", "identifies the core"));
    assert_non_null(strstr(shown, "identifies the core"));
    seconds = 100.25;
    assert_null(stage_begin("volume", "looks for the volume"));
    assert_int_equal(records.used, 0);

    config_defaults(&run.config);
    writer_start(&run.writer);
    writer_add(&run.writer, records_sink(&records));
    journal_start(&run.journal, "00000000deadbeef");
    seconds = 101;
    stage_start(&run);
    const char *line = records_find(&records, NULL, "stage", NULL, NULL);
    assert_stage(line, "identity", "0");
    assert_stage(records_find(&records, line, "stage", NULL, NULL), "volume", "250");
}

static void a_stage_is_recorded_before_it_is_shown(void **state)
{
    const size_t before = records.used;

    (void)state;
    seconds = 101.5;
    assert_null(stage_begin("apic", "silences the APIC"));
    assert_true(recorded_when_shown > before);
    assert_stage(records_find(&records, NULL, "stage", "stage", "apic"), "apic", "1500");
}

static void what_hung_is_left_out_unless_all_is_tried_again(void **state)
{
    (void)state;
    snprintf(run.journal.entries[0].name, sizeof run.journal.entries[0].name, "stage apic@2");
    run.journal.entries[0].unended = 1;
    run.journal.count = 1;
    records.used = 0;
    const char *why = stage_begin("apic", "silences the APIC");
    assert_non_null(why);
    assert_non_null(strstr(why, "retry = all"));
    assert_non_null(strstr(shown, "left out"));
    assert_string_equal(record_value(records.text, "skipped", 2), "true");
    assert_null(stage_begin("lfence", "makes LFENCE wait"));

    info.core = 3; /* it hung on core 2 */
    assert_null(stage_begin("apic", "silences the APIC"));
    info.core = 2;
    run.config.retry = true;
    assert_null(stage_begin("apic", "silences the APIC"));

    snprintf(run.config.omit, sizeof run.config.omit, "lfence@2"); /* for tests: though it never hung */
    assert_non_null(stage_begin("lfence", "makes LFENCE wait"));
    assert_null(stage_begin("apic", "silences the APIC"));
    records_free(&records);
    writer_stop(&run.writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_begins_before_the_run_is_recorded_with_it),
        cmocka_unit_test(a_stage_is_recorded_before_it_is_shown),
        cmocka_unit_test(what_hung_is_left_out_unless_all_is_tried_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
