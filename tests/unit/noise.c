/* How quiet a platform is: the probe finds what disturbs a modelled machine, in the right kind of window only. */
/* link: probes/system/noise.c arch/emit.c arch/x86_64/emit.c */
/* link: arch/control.c arch/access.c arch/x86_64/cpu.c arch/x86_64/prefetch.c arch/x86_64/frequency.c */
/* link: arch/x86_64/control.c arch/x86_64/quirks.c arch/x86_64/identify.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/base/record.h"
#include "lib/probe/probe.h"
#include "lib/run/plan.h"
#include "tests/records.h"
#include "tests/unit/no_counters.h"

/* ---- A machine with a clock, and with what disturbs it ------------------------------------------- */

const char reader_empty_kernel[1], reader_chain_kernel[1], reader_half_chain_kernel[1], reader_width_kernel[1];

enum { READER_NS = 50, SILENCES = SILENCE_NONE + 1 };

/* One kind of window. */
struct place {
    const char *missing;   /* why there is no such window */
    double every_ns;       /* how often something takes the core; 0: never */
    double least, most;    /* for how many ns */
    bool stray;            /* an interrupt ends each list at its third reading */
    enum window_end end;   /* how each window ends */
    double windows, spent; /* windows so far, and the ns in them */
};

static struct machine_info info;
static struct place places[SILENCES];
static double now, next; /* ns; the time, and when the core is taken next */
static bool standing;
static uint64_t random_state;
static uint8_t memory[1 << 19] __attribute__((aligned(64)));
static size_t mapped; /* of it */

const struct machine_info *machine_info(void)
{
    return &info;
}

const struct machine_core *machine_cores(size_t *count)
{
    static const struct machine_core only = {.index = 3};

    *count = 1;
    return &only;
}

const char *machine_use_core(unsigned index)
{
    (void)index;
    return "there is no other core";
}

struct control *machine_control(const char **why_not)
{
    *why_not = "there are no registers";
    return NULL;
}

static uint64_t stamp(void)
{
    return standing ? 1000 : (uint64_t)(now * info.tick_hz / 1e9) + 1000;
}

static void pass(struct place *p, double ns)
{
    double end = now + ns;

    while (p->every_ns > 0 && next <= end) {
        end += p->least + (double)random_below(&random_state, (uint64_t)(p->most - p->least) + 1);
        next += p->every_ns;
    }
    p->spent += end - now;
    now = end;
}

const char *machine_window_kind(struct reading *list, size_t count, enum silence silence, struct window_result *result)
{
    struct place *p = &places[silence];

    if (p->missing)
        return p->missing;
    *result = (struct window_result){.end = p->end, .fault = {.vector = "page-fault"}};
    next = now + p->every_ns * (double)(1 + random_below(&random_state, 1000)) / 1000;
    p->windows++;
    for (size_t i = 0; i < count && !(p->stray && i == 2); i++) {
        pass(p, READER_NS / 2.0);
        list[i].begin_ticks = stamp();
        if (list[i].kernel != (uintptr_t)reader_empty_kernel)
            pass(p, 4 * (double)list[i].argument[0]);
        list[i].end_ticks = stamp();
        pass(p, READER_NS / 2.0);
    }
    return NULL;
}

struct window_result machine_window(struct reading *list, size_t count)
{
    struct window_result result = {0};

    (void)list, (void)count;
    fail();
    return result;
}

const char *machine_map(struct area *a, size_t bytes, size_t page_bytes, enum area_use use)
{
    (void)page_bytes, (void)use;
    if (bytes > sizeof memory - mapped)
        return "no memory is left";
    *a = (struct area){.write = memory + mapped, .at = (uintptr_t)memory + mapped, .bytes = bytes, .page_bytes = 4096};
    mapped += (bytes + 4095) / 4096 * 4096;
    return NULL;
}

const char *machine_map_frames(struct area *a, const size_t *frames, size_t pages, size_t page_bytes, enum area_use use)
{
    (void)a, (void)frames, (void)pages, (void)page_bytes, (void)use;
    return "no frames are chosen in this test";
}

const char *machine_pages_accessed(const struct area *a, bool *accessed)
{
    (void)a, (void)accessed;
    return "there are no page tables";
}

size_t machine_map_mark(void)
{
    return 0;
}

void machine_map_release(size_t mark)
{
    (void)mark;
}

bool machine_touched_outside(struct fault *fault)
{
    (void)fault;
    return false;
}

void machine_code_written(const struct area *a, size_t offset, size_t bytes)
{
    (void)a, (void)offset, (void)bytes;
}

void machine_describe(struct record *r)
{
    (void)r;
}

void machine_describe_environment(struct record *r)
{
    (void)r;
}

void machine_print(const char *text)
{
    (void)text;
}

void machine_print_strong(const char *text)
{
    (void)text;
}

void machine_progress(const char *text)
{
    (void)text;
}

double machine_seconds(void)
{
    return now / 1e9;
}

void machine_date(char out[24])
{
    out[0] = 0;
}

/* ---- One run of the probe ------------------------------------------------------------------------ */

static struct records records;

static enum outcome run(enum profile profile)
{
    const struct probe_definition *all[PLAN_PROBES];
    struct run r = {.trusted = true};

    records_free(&records);
    config_defaults(&r.config);
    r.config.profile = profile;
    writer_start(&r.writer);
    assert_true(writer_add(&r.writer, records_sink(&records)));
    assert_int_equal(plan_probes(all, PLAN_PROBES), 1);
    struct probe p = {.definition = all[0], .run = &r, .random = 1};
    p.definition->run(&p);
    writer_stop(&r.writer);
    facts_forget(&r.facts);
    return p.outcome;
}

static int quiet(void **state)
{
    (void)state;
    info = (struct machine_info){.platform = "test", .isa = "x86_64", .tick_hz = 1e9, .core = 3};
    memset(places, 0, sizeof places);
    standing = false;
    random_state = 1;
    now = next = 0;
    mapped = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    records_free(&records);
    return 0;
}

/* The finding with that window, and with that other variant. */
static const char *finding(const char *name, const char *window, const char *key, const char *variant)
{
    const char *line = NULL;

    while ((line = records_find(&records, line, "finding", "name", name))) {
        const char *w = record_value(line, "window", 2), *v = key ? record_value(line, key, 3) : NULL;
        if (w && !strcmp(w, window) && (!key || (v && !strcmp(v, variant))))
            return line;
    }
    fail_msg("there is no %s for %s", name, window);
    return NULL;
}

/* NaN where it is null. */
static double number(const char *line, const char *key)
{
    const char *text = record_value(line, key, 2);
    return text && strcmp(text, "null") != 0 ? strtod(text, NULL) : (double)NAN;
}

static double found(const char *name, const char *window, const char *key, const char *variant)
{
    return number(finding(name, window, key, variant), "value");
}

/* Gaps in all, and those in the bin that begins at this many ns. */
static void count_gaps(const char *window, double bin, unsigned *all, unsigned *in_bin)
{
    const char *line = NULL;
    char x[512], counts[512], *xs = x, *cs = counts;

    while ((line = records_find(&records, line, "curve", "window", window))) {
        const char *from = strstr(line, "\"x\":["), *to = strstr(line, "\"count\":[");
        assert_true(from && to);
        snprintf(x, sizeof x, "%s", from + 5);
        snprintf(counts, sizeof counts, "%s", to + 9);
        for (*all = *in_bin = 0;; xs++, cs++) {
            double edge = strtod(xs, &xs);
            unsigned n = (unsigned)strtoul(cs, &cs, 10);
            *all += n;
            *in_bin += edge >= bin && edge <= bin ? n : 0;
            assert_int_equal(*xs, *cs);
            if (*xs == ']')
                return;
        }
    }
    fail_msg("there is no curve for %s", window);
}

static const char *const WINDOWS[] = {"stopped", "masked", "none"};

static void assert_silent(const char *window)
{
    unsigned all, bin;

    assert_true(found("system.noise.silent_percent", window, "length", "10us") == 100);
    assert_true(found("system.noise.silent_percent", window, "length", "20ms") == 100);
    assert_true(found("system.noise.lost_percent", window, NULL, NULL) == 0);
    const char *longest = finding("system.noise.gap_ns", window, "quantile", "100");
    assert_true(number(longest, "value") == 0);
    assert_true(number(longest, "low") == 0);
    assert_true(number(longest, "high") >= READER_NS); /* shorter gaps do not show */
    count_gaps(window, 0, &all, &bin);
    assert_int_equal(all, 0);
}

static void silence_is_silent(void **state)
{
    (void)state;
    assert_int_equal(run(PROFILE_QUICK), OUTCOME_OK);
    for (unsigned w = 0; w < SILENCES; w++) {
        assert_silent(WINDOWS[w]);
        assert_true(places[w].spent >= 12 * 20e6 + 0.1e9); /* long enough for a tick to fall in */
    }
}

/* 24 MHz: a stamp is coarser than the distances that it measures. */
static void a_coarse_time_stamp_shows_no_gaps(void **state)
{
    (void)state;
    info.tick_hz = 24e6;
    assert_int_equal(run(PROFILE_QUICK), OUTCOME_OK);
    assert_silent("none");
}

static void a_tick_shows_where_interrupts_are_handled(void **state)
{
    unsigned all, bin;

    (void)state;
    places[SILENCE_NONE] = (struct place){.every_ns = 1e6, .least = 5000, .most = 7000};
    assert_int_equal(run(PROFILE_QUICK), OUTCOME_OK);
    assert_silent("stopped");
    assert_silent("masked");
    assert_true(fabs(found("system.noise.lost_percent", "none", NULL, NULL) - 0.6) < 0.2);
    double median = found("system.noise.gap_ns", "none", "quantile", "50");
    double longest = found("system.noise.gap_ns", "none", "quantile", "100");
    assert_true(median > 5500 && median < 6500 && longest > median && longest <= 7000);
    count_gaps("none", 4096, &all, &bin);
    assert_true(bin == all && all > 50 && all < 150); /* about 100 in 0.1 s */
    double percent = found("system.noise.silent_percent", "none", "length", "10us");
    assert_true(percent >= 95 && percent <= 100);
    assert_true(fabs(found("system.noise.silent_percent", "none", "length", "20ms") - 100.0 / 12) <= 0.01);
}

/* Interrupts that no mask stops, such as SMIs. */
static void a_mask_that_does_not_hold_is_noticed(void **state)
{
    (void)state;
    places[SILENCE_STOPPED] = (struct place){.every_ns = 3e6, .least = 200000, .most = 220000};
    assert_int_equal(run(PROFILE_QUICK), OUTCOME_OK);
    assert_true(fabs(found("system.noise.gap_ns", "stopped", "quantile", "50") - 210000) <= 10000);
    assert_true(found("system.noise.lost_percent", "stopped", NULL, NULL) > 3);
    assert_true(found("system.noise.silent_percent", "stopped", "length", "20ms") < 100);
    assert_silent("none");
}

static void missing_kinds_of_windows_are_reported(void **state)
{
    (void)state;
    places[SILENCE_STOPPED].missing = places[SILENCE_MASKED].missing = "no masks here";
    assert_int_equal(run(PROFILE_QUICK), OUTCOME_OK);
    const char *line = finding("system.noise.silent_percent", "masked", NULL, NULL);
    assert_true(isnan(number(line, "value")));
    assert_string_equal(record_value(line, "detail", 2), "no masks here");
    assert_silent("none");
}

static void interrupted_lists_are_not_silence(void **state)
{
    (void)state;
    places[SILENCE_MASKED].stray = true;
    assert_int_equal(run(PROFILE_QUICK), OUTCOME_OK);
    assert_true(isnan(found("system.noise.lost_percent", "masked", NULL, NULL)));
    /* Of windows with many repetitions the first two came to their end. */
    assert_true(found("system.noise.silent_percent", "masked", "length", "10us") <= 1);
    assert_silent("none");
}

static void a_clock_that_stands_still_is_not_silence(void **state)
{
    (void)state;
    standing = true;
    assert_int_equal(run(PROFILE_QUICK), OUTCOME_OK);
    assert_true(isnan(found("system.noise.silent_percent", "none", "length", "10us")));
    assert_true(isnan(found("system.noise.silent_percent", "none", "length", "20ms")));
    assert_true(isnan(found("system.noise.gap_ns", "none", "quantile", "100")));
    assert_true(isnan(found("system.noise.lost_percent", "none", NULL, NULL)));
}

static void a_window_that_faults_ends_the_probe(void **state)
{
    (void)state;
    places[SILENCE_MASKED].end = WINDOW_FAULT;
    assert_int_equal(run(PROFILE_QUICK), OUTCOME_FAULT);
    places[SILENCE_MASKED].end = WINDOW_TIMEOUT;
    assert_int_equal(run(PROFILE_QUICK), OUTCOME_TIMEOUT);
}

/* A simulator executes some thousand readings in less time than one tick. */
static void the_profile_smoke_is_short(void **state)
{
    (void)state;
    assert_int_equal(run(PROFILE_SMOKE), OUTCOME_OK);
    for (unsigned w = 0; w < SILENCES; w++) {
        assert_true(found("system.noise.silent_percent", WINDOWS[w], "length", "10us") == 100);
        assert_true(places[w].spent < 1e6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(silence_is_silent, quiet, end),
        cmocka_unit_test_setup_teardown(a_coarse_time_stamp_shows_no_gaps, quiet, end),
        cmocka_unit_test_setup_teardown(a_tick_shows_where_interrupts_are_handled, quiet, end),
        cmocka_unit_test_setup_teardown(a_mask_that_does_not_hold_is_noticed, quiet, end),
        cmocka_unit_test_setup_teardown(missing_kinds_of_windows_are_reported, quiet, end),
        cmocka_unit_test_setup_teardown(interrupted_lists_are_not_silence, quiet, end),
        cmocka_unit_test_setup_teardown(a_clock_that_stands_still_is_not_silence, quiet, end),
        cmocka_unit_test_setup_teardown(a_window_that_faults_ends_the_probe, quiet, end),
        cmocka_unit_test_setup_teardown(the_profile_smoke_is_short, quiet, end),
    };
    return cmocka_run_group_tests_name("noise", tests, NULL, NULL);
}
