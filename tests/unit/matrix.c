/*
 * The record of a matrix: axes and cells unchanged, and null where nothing was measured.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/record.h"
#include "lib/probe/matrix.h"
#include "lib/probe/probe.h"
#include "tests/records.h"

double machine_seconds(void)
{
    return 0;
}

void record_core(struct record *r)
{
    record_integer(r, "core", 3);
}

static void rows_and_columns_are_recorded_unchanged(void **state)
{
    const struct probe_definition definition = {.name = "mispredict"};
    double rows[] = {1, 4}, columns[] = {4, 16, 64};
    double cells[] = {0, 0.25, 0.5, -1, 0.00001, (double)NAN, -0.125, -1}; /* with room for a column more */
    const struct matrix m = {.name = "patterns",
                             .row_axis = "branches",
                             .column_axis = "pattern_length",
                             .unit = "mispredicted",
                             .row_count = 2,
                             .column_count = 3,
                             .rows = rows,
                             .columns = columns,
                             .cells = cells,
                             .pitch = 4};
    static const char want[] = "{\"t\":\"matrix\",\"probe\":\"mispredict\",\"name\":\"patterns\",\"core\":3,"
                               "\"row_axis\":\"branches\",\"column_axis\":\"pattern_length\",\"unit\":\"mispredicted\","
                               "\"rows\":[1,4],\"columns\":[4,16,64],\"cells\":[[0,0.25,0.5],[0,null,-0.125]],\"c\":";
    struct records records = {0};
    struct run run = {.number = 0};
    struct probe p = {.definition = &definition, .run = &run};

    (void)state;
    writer_start(&run.writer);
    writer_add(&run.writer, records_sink(&records));
    matrix_send(&p, &m);
    writer_stop(&run.writer);
    const char *line = records_find(&records, NULL, "matrix", NULL, NULL);
    assert_non_null(line);
    assert_memory_equal(line, want, sizeof want - 1);
    records_free(&records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_and_columns_are_recorded_unchanged)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
