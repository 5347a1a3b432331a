#include "tests/unit/structure/given.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- The machine, and what is reported ------------------------------------------------------------ */

struct machine_info given_info;
static struct run run;
struct probe given_probe = {.run = &run};
static struct finding reported[GIVEN_MOST];
static char remarks[GIVEN_MOST][FINDING_REMARKS][256];
static size_t report_count;
struct verdict (*given_curve)(const struct sweep *s);
struct sweep_sample *given_samples;
size_t given_sample_count;
struct sweep given_searched[GIVEN_MOST];
size_t given_searches;

void given_start(bool contiguous)
{
    given_info = (struct machine_info){
        .contiguous = contiguous, .memory_bytes = (size_t)4 * 1024 * MB, .page_bytes = {PAGE_BYTES}};
    facts_forget(&run.facts);
    report_count = given_searches = 0;
    given_sample_count = 0;
}

void given_fact(const char *name, unsigned level, double value)
{
    struct fact f = {.name = name, .value = value, .low = value, .high = value, .grade = 'D'};

    snprintf(f.variants, sizeof f.variants, "level=%u", level);
    assert_true(facts_set(&run.facts, &f));
}

const struct machine_info *machine_info(void)
{
    return &given_info;
}

size_t machine_map_mark(void)
{
    return 0;
}

void machine_map_release(size_t mark)
{
    (void)mark;
}

void report(struct probe *p, const struct finding *f)
{
    (void)p;
    assert_true(report_count < GIVEN_MOST);
    reported[report_count] = *f;
    /* texts of remarks may be of the function that reports */
    for (size_t i = 0; i < FINDING_REMARKS && f->remarks[i].text; i++) {
        snprintf(remarks[report_count][i], sizeof remarks[0][0], "%s", f->remarks[i].text);
        reported[report_count].remarks[i].text = remarks[report_count][i];
    }
    report_count++;
}

void report_number(struct probe *p, const struct finding *f, double value)
{
    report(p, f);
    reported[report_count - 1].value = value;
}

const struct finding *given_finding(const char *name, unsigned level)
{
    for (size_t i = report_count; i-- > 0;)
        if (!strcmp(reported[i].name, name) && (!level || reported[i].variants[0].number == level))
            return &reported[i];
    fail_msg("no %s of level %u was reported", name, level);
    return NULL;
}

const struct finding *given_variant(const char *name, const char *variant)
{
    for (size_t i = report_count; i-- > 0;)
        if (!strcmp(reported[i].name, name) && reported[i].variants[0].text &&
            !strcmp(reported[i].variants[0].text, variant))
            return &reported[i];
    fail_msg("no %s of %s was reported", name, variant);
    return NULL;
}

bool probe_scattered(const struct area *a)
{
    (void)a;
    return !given_info.contiguous;
}

enum reason probe_no_pages(const struct probe *p, size_t page_bytes)
{
    (void)p;
    (void)page_bytes;
    return REASON_NONE;
}

bool probe_skip(struct probe *p, const char *reason)
{
    (void)p;
    fail_msg("skipped: %s", reason);
    return false;
}

void probe_release(struct probe *p, size_t mark)
{
    (void)p;
    (void)mark;
}

/* ---- Curves --------------------------------------------------------------------------------------- */

struct verdict given_staircase(size_t levels, const double *heights, const double *counts)
{
    struct verdict v = {
        .reason = levels > 1 ? REASON_NONE : REASON_NO_KNEE, .count = levels - 1, .level_count = levels};

    for (size_t i = 0; i < levels; i++)
        v.levels[i] = (struct knee_level){
            .from = i ? counts[i - 1] + 1 : 1, .to = i + 1 < levels ? counts[i] : 1e9, .height = heights[i]};
    for (size_t i = 0; i + 1 < levels; i++)
        v.knees[i] = (struct knee){.value = counts[i],
                                   .low = counts[i],
                                   .high = counts[i] + 1,
                                   .foot = counts[i],
                                   .before = heights[i],
                                   .after = heights[i + 1],
                                   .end = counts[i] + 1,
                                   .half_rise = counts[i],
                                   .half_rise_low = counts[i],
                                   .half_rise_high = counts[i] + 1,
                                   .agreed = true,
                                   .half_rise_agreed = true};
    return v;
}

struct verdict given_step(double before, double after, double count)
{
    return given_staircase(2, (double[]){before, after}, &count);
}

bool sweep_search(struct probe *p, struct sweep *s)
{
    (void)p;
    assert_true(given_searches < GIVEN_MOST);
    s->search.verdict = given_curve(s);
    s->search.reached = s->search.to;
    s->samples = given_samples;
    s->count = given_sample_count;
    given_searched[given_searches++] = *s;
    return true;
}

void sweep_free(struct sweep *s)
{
    (void)s;
}

void sweeps_free(struct sweep *s, size_t count)
{
    (void)s;
    (void)count;
}
