/* The writer: sinks get every record once and in order, and none announces what the volume may still lose. */
/* link: tests/unit/record/stores.c */
/* libs: -lm -Wl,--wrap=malloc -Wl,--wrap=realloc */
#define _GNU_SOURCE /* memmem */
#include "lib/base/random.h"
#include "lib/base/record.h"
#include "lib/base/record_read.h"
#include "tests/unit/record/stores.h"

/* ---- Memory that runs out --------------------------------------------------------------------------------- */

/* How many allocations succeed before all others fail; -1: all succeed. */
static long allocations_left = -1;

void *__real_malloc(size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static bool may_allocate(void)
{
    if (allocations_left > 0)
        allocations_left--;
    return allocations_left != 0;
}

void *__wrap_malloc(size_t bytes)
{
    return may_allocate() ? __real_malloc(bytes) : NULL;
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return may_allocate() ? __real_realloc(old, bytes) : NULL;
}

/* ---- The writer ------------------------------------------------------------------------------------------- */

static void only_curves_and_tables_wait_for_a_flush(void **state)
{
    const char *const at_once[] = {"run",     "machine", "environment", "start", "fault",
                                   "finding", "end",     "warning",     "done"};
    const char *const waits[] = {"curve", "matrix", "table"};
    struct writer w;

    (void)state;
    start(&w, 2);
    for (size_t i = 0; i < 9; i++) {
        send_empty(&w, at_once[i]);
        assert_int_equal(stores[0].stable, stores[0].used);
        assert_int_equal(lines_in(stores[1].text, stores[1].used), i + 1);
    }
    for (size_t i = 0; i < 3; i++) {
        size_t stable = stores[0].stable, announced = stores[1].used;

        send_empty(&w, waits[i]);
        send_empty(&w, waits[i]);
        assert_int_equal(stores[0].stable, stable);
        assert_int_equal(stores[1].used, announced);
        send_empty(&w, at_once[i]);
        assert_int_equal(stores[0].stable, stores[0].used);
        assert_int_equal(stores[1].used, stores[0].used);
        assert_memory_equal(stores[1].text, stores[0].text, stores[0].used);
    }
    assert_int_equal(w.lines, 18);
    assert_int_equal(w.lost, 0);
    writer_stop(&w);
}

/* A brief sink, first or later, gets the same lines in the same order, without curves, matrices and tables. */
static void a_brief_sink_gets_no_curves_and_tables(void **state)
{
    const char *const kinds[] = {"run", "curve", "finding", "table", "matrix", "end"};

    (void)state;
    for (unsigned brief = 0; brief < 2; brief++) {
        struct writer w;

        start(&w, 2);
        w.sinks[brief].brief = true;
        stores[1].after = brief ? &stores[0] : NULL; /* where the first sink is brief, the other has more than it */
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
            send_empty(&w, kinds[i]);
        writer_flush(&w, true);
        assert_int_equal(lines_in(stores[brief].text, stores[brief].used), 3);
        assert_int_equal(lines_in(stores[!brief].text, stores[!brief].used), 6);
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            char line[32];
            snprintf(line, sizeof line, "{\"t\":\"%s\"", kinds[i]);
            assert_non_null(memmem(stores[!brief].text, stores[!brief].used, line, strlen(line)));
            assert_true((memmem(stores[brief].text, stores[brief].used, line, strlen(line)) != NULL) ==
                        (i == 0 || i == 2 || i == 5));
        }
        assert_int_equal(w.lost, 0);
        writer_stop(&w);
    }
}

static void curves_wait_a_quarter_second_at_most(void **state)
{
    struct writer w;

    (void)state;
    start(&w, 2);
    send_empty(&w, "curve");
    writer_flush(&w, false);
    assert_int_equal(stores[1].used, 0);
    seconds += 0.26;
    send_empty(&w, "curve");
    assert_int_equal(lines_in(stores[1].text, stores[1].used), 2);
    send_empty(&w, "curve");
    assert_int_equal(lines_in(stores[1].text, stores[1].used), 2);
    seconds += 0.26;
    writer_flush(&w, false);
    assert_int_equal(lines_in(stores[1].text, stores[1].used), 3);
    send_empty(&w, "curve");
    writer_flush(&w, true);
    assert_int_equal(lines_in(stores[1].text, stores[1].used), 4);
    seconds -= 500; /* a clock that is set back must not stop the flushing */
    send_empty(&w, "curve");
    assert_int_equal(lines_in(stores[1].text, stores[1].used), 5);
    writer_stop(&w);
}

static void no_more_sinks_than_there_is_room_for(void **state)
{
    struct writer w;

    (void)state;
    start(&w, 3);
    assert_true(writer_add(&w, w.sinks[0]));
    assert_false(writer_add(&w, w.sinks[0]));
    start(&w, 0);
    send_empty(&w, "curve");
    send_empty(&w, "end");
    assert_int_equal(w.lines, 2);
    writer_stop(&w);
}

static void a_failed_volume_is_reported_before_the_records_it_lost(void **state)
{
    uint64_t random = 1;
    struct writer w;
    const char *warning, *curve;

    (void)state;
    start(&w, 2);
    send_empty(&w, "curve");
    stores[0].random = &random; /* the next call, a flush, fails */
    stores[0].fail_one_in = 1;
    writer_flush(&w, true);
    warning = strstr(stores[1].text, "\"t\":\"warning\",\"subject\":\"volume\"");
    curve = strstr(stores[1].text, "\"t\":\"curve\"");
    assert_non_null(warning);
    assert_non_null(curve);
    assert_true(warning < curve);
    assert_int_equal(w.lost, 2); /* the curve, and the warning that the volume could not take */
    assert_int_equal(stores[0].calls_after_failure, 0);
    writer_stop(&w);
}

/*
 * Sinks fail at random. The others get every line in order and once, and one warning for each failure; lines that are
 * missing in a sink are counted. store_write checks that a line is announced only after its flush.
 */
static void sinks_fail_at_random(void **state)
{
    uint64_t random = 99;

    (void)state;
    for (unsigned round = 0; round < 400; round++) {
        static const char *const kinds[] = {"curve", "table", "curve", "finding", "end", "matrix"};
        struct writer w;
        unsigned failures = 0, sent = 0;
        uint64_t missing = 0;

        start(&w, 1 + round % 3);
        for (size_t i = 0; i < w.sink_count; i++) {
            stores[i].random = random_below(&random, 3) > 0 ? &random : NULL;
            stores[i].fail_one_in = 5 + (unsigned)random_below(&random, 100);
        }
        for (; sent < 60; sent++) {
            struct record r;

            record_start(&r, &w, kinds[random_below(&random, 6)]);
            record_integer(&r, "number", sent);
            record_send(&r);
            seconds += (double)random_below(&random, 100) / 1000;
        }
        writer_stop(&w);

        for (size_t i = 0; i < w.sink_count; i++) {
            const struct store *s = &stores[i];
            unsigned expected = 0;

            failures += s->broken;
            assert_int_equal(w.sinks[i].failed, s->broken);
            assert_int_equal(s->calls_after_failure, 0);
            missing += w.lines - lines_in(s->text, s->stable);
            for (const char *line = s->text; *line; line = strchr(line, '\n') + 1) {
                char number[24];
                size_t bytes = (size_t)(strchr(line, '\n') - line);

                assert_true(record_line_good(line, bytes));
                if (record_line_value(line, bytes, "number", number, sizeof number))
                    assert_int_equal(strtoul(number, NULL, 10), expected++);
            }
            if (!s->broken)
                assert_int_equal(expected, sent);
        }
        assert_int_equal(w.lines, sent + failures);
        assert_int_equal(w.lost, missing);
    }
}

/* Memory runs out at each allocation in turn. */
static void memory_runs_out(void **state)
{
    (void)state;
    for (long left = 0; left < 40; left++) {
        struct writer w;
        struct record r;

        start(&w, 2);
        allocations_left = left;
        for (unsigned i = 0; i < 8; i++) {
            record_start(&r, &w, "curve");
            for (unsigned n = 0; n < 200; n++)
                record_text(&r, "key", "a value of some length");
            record_send(&r);
        }
        record_warning(&w, "subject", "text");
        send_empty(&w, "end");
        allocations_left = -1;
        writer_stop(&w);
        assert_int_equal(lines_in(stores[0].text, stores[0].stable), 10);
        assert_int_equal(stores[1].used, stores[0].used);
        assert_memory_equal(stores[1].text, stores[0].text, stores[0].used);
        for (const char *line = stores[0].text; *line; line = strchr(line, '\n') + 1)
            assert_true(record_line_good(line, (size_t)(strchr(line, '\n') - line)));
        if (left == 0)
            assert_non_null(strstr(stores[0].text, "\"subject\":\"curve\",\"text\":\"record lost: out of memory\""));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_curves_and_tables_wait_for_a_flush),
        cmocka_unit_test(a_brief_sink_gets_no_curves_and_tables),
        cmocka_unit_test(curves_wait_a_quarter_second_at_most),
        cmocka_unit_test(no_more_sinks_than_there_is_room_for),
        cmocka_unit_test(a_failed_volume_is_reported_before_the_records_it_lost),
        cmocka_unit_test(sinks_fail_at_random),
        cmocka_unit_test(memory_runs_out),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
