#include "lib/run/bringup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/lines.h"
#include "lib/base/record.h"
#include "lib/base/version.h"
#include "lib/machine.h"
#include "lib/measure/list.h"
#include "lib/run/environment.h"
#include "lib/run/stage.h"

enum { POINTS = 100, WATCHED_MOST = 1000000 }; /* readings; windows, should the clock stand still */
static const double WATCH_SECONDS = 1;         /* for what comes without being asked: system management interrupts */

bool bringup_wanted(const struct run *r)
{
    return r->config.bringup == BRINGUP_ONLY || (r->config.bringup == BRINGUP_AUTO && !r->journal.ended_well);
}

static void describe_machine(struct lines *page)
{
    const struct machine_info *info = machine_info();
    char date[24];

    machine_date(date);
    lines_add(page, "fathom %s, %s %s, %s", build_version, info->platform, info->isa, date);
    lines_text(page, "%s%s%s%s%s%s%s", info->core_model, info->core_name[0] ? ", " : "", info->core_name,
               info->core_type[0] ? ", type " : "", info->core_type, info->hypervisor[0] ? ", under " : "",
               info->hypervisor);
}

/* What stands in the way of measuring here, or that nothing does. */
static void describe_means(struct lines *page)
{
    const struct machine_info *info = machine_info();
    const char *why;
    const struct control *control = machine_control(&why);

    lines_text(page, "deadline: %s", info->no_deadline ? info->no_deadline : "works");
    lines_text(page, "counters: %s", info->no_counters ? info->no_counters : "announced, not tried here");
    lines_text(page, "registers: %s", control ? "can be accessed" : why);
}

/* A window that did not run, or did not return by itself; `stage` is the step that it was part of. */
static void describe_bad_end(const struct window_result *result, const char *stage, struct lines *page)
{
    const struct machine_info *info = machine_info();
    const struct fault *f = &result->fault;

    lines_text(page, "windows: in the step %s one ended by %s", stage, f->vector ? f->vector : "the deadline");
    if (f->pc && f->pc - info->image < info->image_bytes)
        lines_word(page, "pc: fathom's image + %llx", (unsigned long long)(f->pc - info->image));
    else if (f->pc)
        lines_word(page, "pc %llx", (unsigned long long)f->pc);
    if (f->address)
        lines_word(page, "address %llx", (unsigned long long)f->address);
    if (f->syndrome)
        lines_word(page, "syndrome %llx", (unsigned long long)f->syndrome);
}

static void describe_rejected(const struct meter *m, struct lines *page)
{
    lines_word(page, "%llu readings", (unsigned long long)m->taken);
    for (enum cause c = 0; c < CAUSES; c++)
        if (m->rejected_by[c])
            lines_word(page, "rejected, %s: %llu", cause_names[c], (unsigned long long)m->rejected_by[c]);
}

/*
 * What the first points look like: the clock, the reader, the sibling detector, and what was rejected for which cause.
 * False when a window did not end as it should.
 */
static bool describe_readings(struct run *r, struct lines *page)
{
    struct meter *m = &r->meter;
    const struct kernel k = {.entry = (uintptr_t)reader_chain_kernel, .units = READER_CHAIN};
    struct window_result result = {.end = WINDOW_RAN};
    struct point point = {.q20 = NAN};

    for (unsigned i = 0; i < POINTS && result.end == WINDOW_RAN; i++)
        result = meter_measure(m, &k, &point);
    if (result.end != WINDOW_RAN) {
        describe_bad_end(&result, stage_now(), page);
        return false;
    }
    if (m->core_hz > 0)
        lines_word(page, "addition %.4f ns (%.0f MHz)", 1e9 / m->core_hz, m->core_hz / 1e6);
    else
        lines_word(page, "addition: no reading of it was accepted");
    if (machine_info()->cycle_source)
        lines_word(page, "%.3f cycles by %s", point.q20, machine_info()->cycle_source);
    if (!isnan(m->nop_cycles))
        lines_word(page, "NOP %.3f cycles", m->nop_cycles);
    lines_word(page, "reader %.0f ticks", m->harness_ticks);
    describe_rejected(m, page);
    return true;
}

static void describe_disturbances(struct run *r, struct lines *page)
{
    const double start = machine_seconds();
    unsigned interrupts = 0, windows = 0;
    uint32_t before, after;
    struct window_result result = {.end = WINDOW_RAN};
    const bool counted = environment_smis(r, &before);

    while (result.end == WINDOW_RAN && machine_seconds() - start < WATCH_SECONDS && windows++ < WATCHED_MOST) {
        struct reading chain = reading_of_chain(&r->meter);
        result = list_run(&r->meter, &chain, 1);
        interrupts += result.interrupts;
    }
    const double seconds = machine_seconds() - start;
    if (result.end != WINDOW_RAN) {
        describe_bad_end(&result, stage_now(), page);
        return;
    }
    if (!(seconds > 0)) {
        lines_word(page, "interrupts: no rates, since the clock of this machine stands still");
        return;
    }
    lines_word(page, "interrupts in windows %.1f/s", interrupts / seconds);
    if (counted && environment_smis(r, &after))
        lines_word(page, "system management interrupts %.1f/s", (uint32_t)(after - before) / seconds);
    else /* no register that can be read counts them */
        lines_word(page, "system management interrupts are not counted");
}

static void send(struct run *r, const struct lines *page)
{
    struct record record;

    record_start(&record, &r->writer, "bringup");
    record_core(&record);
    record_array(&record, "lines");
    for (size_t i = 0; i < page->count; i++)
        record_text(&record, NULL, page->text[i]);
    record_close(&record);
    record_send(&record);
}

void bringup_page(struct run *r, const struct window_result *first)
{
    struct lines page = {.count = 0};

    if (stage_begin("bringup", "collects what the bring-up page says")) /* an earlier run hung in it */
        return;
    describe_machine(&page);
    machine_bringup(&page);
    describe_means(&page);
    const char *why = stage_begin("bringup-windows", "measures for the bring-up page");
    if (first->end != WINDOW_RAN)
        describe_bad_end(first, "first-window", &page);
    else if (why)
        lines_text(&page, "windows: %s", why);
    else if (describe_readings(r, &page))
        describe_disturbances(r, &page);
    for (size_t i = 0; i < r->journal.count; i++)
        if (r->journal.entries[i].unended)
            lines_word(&page, "hung before: %s", r->journal.entries[i].name);
    send(r, &page);
    if (!stage_begin("page", "shows the bring-up page"))
        machine_page(&page);
}
