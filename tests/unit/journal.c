/*
 * The journal: a probe that started twice and never ended is skipped, and a stage that never ended once, whatever
 * happened to the files.
 */
/* libs: -lm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/record.h"
#include "lib/plan/journal.h"

static const char OURS[] = "00000000deadbeef";

double machine_seconds(void)
{
    return 0;
}

/* A result file in memory, written by the writer of real ones. */
struct file {
    struct writer writer;
    size_t used;
    char text[131072];
};

static bool append(void *context, const char *bytes, size_t count)
{
    struct file *f = context;

    if (sizeof f->text - f->used < count)
        return false;
    memcpy(f->text + f->used, bytes, count);
    f->used += count;
    return true;
}

static void begin_without_run(struct file *f)
{
    f->used = 0;
    writer_start(&f->writer);
    writer_add(&f->writer, (struct sink){.name = "file", .context = f, .write = append});
}

static void begin_of(struct file *f, const char *fingerprint, unsigned repeat_index, const char *profile)
{
    struct record r;

    begin_without_run(f);
    record_start(&r, &f->writer, "run");
    record_object(&r, "machine"); /* only the top-level keys of the line count */
    record_text(&r, "fingerprint", "ffffffffffffffff");
    record_close(&r);
    record_text(&r, "fingerprint", fingerprint);
    record_integer(&r, "repeat", 12);
    record_integer(&r, "repeat_index", repeat_index);
    record_text(&r, "profile", profile);
    record_send(&r);
}

static void begin(struct file *f, const char *fingerprint, unsigned repeat_index)
{
    begin_of(f, fingerprint, repeat_index, "standard");
}

static void put(struct file *f, const char *kind, const char *probe)
{
    struct record r;

    record_start(&r, &f->writer, kind);
    if (probe)
        record_text(&r, "probe", probe);
    record_send(&r);
}

/* From a block of exactly this length, so that the sanitizer notices a read past it. */
static void read_file(struct journal *j, const char *text, size_t bytes)
{
    char *copy = malloc(bytes);

    if (bytes > 0)
        memcpy(copy, text, bytes);
    journal_add(j, copy, bytes);
    free(copy);
}

/*
 * Reads files that are given as texts, newest first: `+a` starts probe a, `-a` ends it, `!` is the record `done`; a
 * file of another machine starts with `?`.
 */
static void read_files(struct journal *j, const char *const *texts, size_t count)
{
    static struct file f;

    journal_start(j, OURS);
    for (size_t i = 0; i < count; i++) {
        const char *text = texts[i];
        bool ours = *text != '?';

        begin(&f, ours ? OURS : "1111111111111111", (unsigned)(count - i));
        for (text += !ours; *text; text++) {
            char probe[2] = {text[1], 0};

            if (*text == '!') {
                put(&f, "done", NULL);
            } else {
                put(&f, *text == '+' ? "start" : "end", probe);
                text++;
            }
        }
        read_file(j, f.text, f.used);
    }
}

static void end_after(struct file *f, const char *probe, const char *outcome, double seconds)
{
    struct record r;

    put(f, "start", probe);
    record_start(&r, &f->writer, "end");
    record_text(&r, "probe", probe);
    record_text(&r, "outcome", outcome);
    record_number(&r, "seconds", seconds);
    record_send(&r);
}

/* Only runs that say so, in their last record. */
static void runs_that_ended_well_are_counted(void **state)
{
    static struct file f;
    struct journal j;
    struct record r;

    (void)state;
    journal_start(&j, OURS);
    begin(&f, OURS, 1);
    read_file(&j, f.text, f.used); /* it never ended */
    assert_int_equal(j.ended_well, 0);
    for (uint64_t status = 0; status < 2; status++) {
        begin(&f, OURS, 1);
        record_start(&r, &f.writer, "done");
        record_integer(&r, "status", status);
        record_send(&r);
        read_file(&j, f.text, f.used);
    }
    assert_int_equal(j.runs, 3);
    assert_int_equal(j.ended_well, 1);
}

/* The expected time of a probe is that of the newest run of the same profile in which the probe ended. */
static void expected_times_come_from_earlier_runs(void **state)
{
    static struct file f;
    struct journal j;

    (void)state;
    journal_start(&j, OURS);
    snprintf(j.profile, sizeof j.profile, "quick");
    begin(&f, OURS, 1); /* of another profile */
    end_after(&f, "a", "ok", 50);
    read_file(&j, f.text, f.used);
    begin_of(&f, OURS, 1, "quick");
    end_after(&f, "a", "ok", 2.5);
    end_after(&f, "b", "timeout", 9);
    read_file(&j, f.text, f.used);
    begin_of(&f, OURS, 1, "quick");
    end_after(&f, "a", "ok", 4);
    end_after(&f, "b", "ok", 3);
    end_after(&f, "b", "ok", 7); /* that of the next core */
    read_file(&j, f.text, f.used);
    assert_true(journal_seconds(&j, "a") == 2.5);
    assert_true(journal_seconds(&j, "b") == 3);
    assert_true(journal_seconds(&j, "c") == 0);
}

static void probes_that_hang_twice_are_skipped(void **state)
{
    static const struct {
        const char *files[4];
        bool skips;
    } cases[] = {
        {{""}, false},
        {{"+a"}, false},
        {{"+a", "+a"}, true},
        {{"+a", "+a-a", "+a"}, false},   /* not twice in a row */
        {{"+a-a!", "+a", "+a"}, false},  /* it ended in between */
        {{"+b-b-a!", "+a", "+a"}, true}, /* a run that skips it changes nothing */
        {{"-a", "-a", "+a", "+a"}, true},
        {{"-a", "+a", "-a", "+a"}, true},
        {{"+b-b", "+a", "+b-b", "+a"}, true}, /* runs that did not start it do not count */
        {{"+a", "?+a", "?+a-a"}, false},      /* the file of another machine */
        {{"+a", "?+a-a", "+a"}, true},
        {{"+a-a+a", "+a"}, true}, /* its last start counts */
        {{"+a+a-a", "+a", "+a"}, false},
        {{"+a+a"}, false}, /* one run, however many starts */
        {{"+a+a", "+a"}, true},
        {{"+b+a", "+b-b+a"}, true},
        {{"+a-a", "+a-a", "+a", "+a"}, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct journal j;
        size_t count = 0;

        while (count < 4 && cases[i].files[count])
            count++;
        read_files(&j, cases[i].files, count);
        if (journal_skips(&j, "a") != cases[i].skips)
            fail_msg("case %zu", i);
        assert_false(journal_skips(&j, "never heard of"));
    }
}

static void other_probes_are_not_touched(void **state)
{
    const char *const files[] = {"+a-a+b", "+a-a+b"};
    struct journal j;

    (void)state;
    read_files(&j, files, 2);
    assert_true(journal_skips(&j, "b"));
    assert_false(journal_skips(&j, "a"));
    assert_int_equal(j.runs, 2);
}

/* The newest run of this machine counts, not the newest file. */
static void runs_of_a_series_are_counted(void **state)
{
    const char *const fresh[] = {"?!", "?"};
    const char *const finished[] = {"?", "+a-a!", "+a"};
    const char *const cut[] = {"+a", "+a-a!"};
    struct journal j;

    (void)state;
    read_files(&j, fresh, 2);
    assert_int_equal(j.runs, 0);
    assert_int_equal(j.repeat_done, 0);
    assert_int_equal(j.repeat, 0);
    read_files(&j, finished, 3);
    assert_int_equal(j.runs, 2);
    assert_int_equal(j.repeat_done, 2);
    assert_int_equal(j.repeat, 12);
    read_files(&j, cut, 2);
    assert_int_equal(j.repeat_done, 2);
}

static void many_probes_and_long_names(void **state)
{
    static struct file f;
    static struct journal j;
    char name[64];

    (void)state;
    journal_start(&j, OURS);
    for (unsigned file = 0; file < 2; file++) {
        begin(&f, OURS, 1);
        for (unsigned i = 0; i < JOURNAL_ENTRIES + 20; i++) {
            snprintf(name, sizeof name, "probe_%u", i);
            put(&f, "start", name);
        }
        read_file(&j, f.text, f.used);
    }
    assert_int_equal(j.count, JOURNAL_ENTRIES);
    assert_true(journal_skips(&j, "probe_1023"));
    assert_false(journal_skips(&j, "probe_1024")); /* there is no room for this one, so it is not skipped */

    journal_start(&j, OURS);
    begin(&f, OURS, 1);
    put(&f, "start", "a_name_of_far_more_than_thirty_one_letters");
    read_file(&j, f.text, f.used);
    read_file(&j, f.text, f.used);
    assert_true(journal_skips(&j, "a_name_of_far_more_than_thirty_one_letters"));
    assert_false(journal_skips(&j, "a_name_of_far_more_than_thirty"));
}

static void put_stage(struct file *f, const char *stage, unsigned core, bool skipped)
{
    struct record r;

    record_start(&r, &f->writer, "stage");
    record_text(&r, "stage", stage);
    record_integer(&r, "core", core);
    if (skipped)
        record_boolean(&r, "skipped", true);
    record_send(&r);
}

/* A stage ends where another one, a probe, or the end of the run is recorded. */
static void a_stage_that_nothing_follows_has_hung(void **state)
{
    static struct file f;
    static struct journal j;

    (void)state;
    for (unsigned last = 0; last < 4; last++) {
        journal_start(&j, OURS);
        begin(&f, OURS, 1);
        put_stage(&f, "one", 0, false);
        put_stage(&f, "two", 3, false);
        put(&f, "warning", NULL); /* a warning may come within a stage */
        if (last == 1)
            put(&f, "start", "a");
        else if (last == 2)
            put(&f, "done", NULL);
        else if (last == 3)
            put_stage(&f, "three", 3, true);
        read_file(&j, f.text, f.used);
        assert_false(journal_stage_hung(&j, "one", 0));
        assert_int_equal(journal_stage_hung(&j, "two", 3), last == 0);
        assert_false(journal_stage_hung(&j, "two", 0)); /* on another core */
        assert_false(journal_stage_hung(&j, "three", 3));
    }
}

/* Runs that leave a stage out say nothing about it; the newest one that began it counts. */
static void a_stage_stays_left_out_until_a_run_survives_it(void **state)
{
    static struct file f;
    static struct journal j;

    (void)state;
    for (unsigned survived = 0; survived < 2; survived++) {
        journal_start(&j, OURS);
        begin(&f, OURS, 3);
        put_stage(&f, "apic", 0, true);
        put(&f, "done", NULL);
        read_file(&j, f.text, f.used);
        begin(&f, OURS, 2);
        put_stage(&f, "apic", 0, false);
        if (survived)
            put(&f, "done", NULL);
        read_file(&j, f.text, f.used);
        begin(&f, OURS, 1);
        put_stage(&f, "apic", 0, false);
        if (!survived)
            put(&f, "done", NULL);
        read_file(&j, f.text, f.used);
        assert_int_equal(journal_stage_hung(&j, "apic", 0), !survived);
    }
}

/* Power is cut after any byte: exactly the lines that were whole by then count. */
static void files_may_be_cut_anywhere(void **state)
{
    static struct file f;
    size_t run_end, start_end, end_end;

    (void)state;
    begin(&f, OURS, 9);
    run_end = f.used;
    put(&f, "start", "a");
    start_end = f.used;
    put(&f, "end", "a");
    end_end = f.used;
    put(&f, "done", NULL);

    for (size_t cut = 0; cut <= f.used; cut++) {
        struct journal j;

        journal_start(&j, OURS);
        read_file(&j, f.text, cut);
        read_file(&j, f.text, cut);
        /* A line is whole without its newline. */
        assert_int_equal(j.runs, cut + 1 >= run_end ? 2 : 0);
        assert_int_equal(j.repeat_done, cut + 1 >= run_end ? 9 : 0);
        assert_int_equal(journal_skips(&j, "a"), cut + 1 >= start_end && cut + 1 < end_end);
    }
}

/* One wrong byte costs its line, and never causes a probe to be skipped. */
static void damaged_lines_are_left_out(void **state)
{
    static struct file f;
    size_t end_start;
    struct journal j;

    (void)state;
    begin(&f, OURS, 1);
    put(&f, "start", "a");
    end_start = f.used;
    put(&f, "end", "a");
    for (size_t at = 0; at < f.used; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            f.text[at] ^= (char)(1 << bit);
            journal_start(&j, OURS);
            read_file(&j, f.text, f.used);
            f.text[at] ^= (char)(1 << bit);
            read_file(&j, f.text, f.used);
            /* The undamaged copy has an end, so that nothing is ever unended twice. */
            assert_false(journal_skips(&j, "a"));
            if (at < end_start - 1)
                assert_true(j.count == 1 && j.entries[0].unended == 0);
        }
    }
}

static void without_a_run_record_nothing_counts(void **state)
{
    static struct file f;
    struct journal j;

    (void)state;
    journal_start(&j, OURS);
    begin_without_run(&f);
    put(&f, "start", "a");
    read_file(&j, f.text, f.used);
    read_file(&j, f.text, f.used);
    read_file(&j, "", 0);
    assert_int_equal(j.runs, 0);
    assert_false(journal_skips(&j, "a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_that_hang_twice_are_skipped),
        cmocka_unit_test(expected_times_come_from_earlier_runs),
        cmocka_unit_test(other_probes_are_not_touched),
        cmocka_unit_test(runs_of_a_series_are_counted),
        cmocka_unit_test(runs_that_ended_well_are_counted),
        cmocka_unit_test(a_stage_that_nothing_follows_has_hung),
        cmocka_unit_test(a_stage_stays_left_out_until_a_run_survives_it),
        cmocka_unit_test(many_probes_and_long_names),
        cmocka_unit_test(files_may_be_cut_anywhere),
        cmocka_unit_test(damaged_lines_are_left_out),
        cmocka_unit_test(without_a_run_record_nothing_counts),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
