#include "lib/probe/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/probe/count.h"
#include "lib/probe/curve.h"
#include "lib/probe/probe.h"
#include "lib/probe/progress.h"

/* Seconds between two lines of progress: consoles are slow, and nobody reads faster. */
static const double SHOW_SECONDS = 0.25;
/* The last part of a sweep's time that is kept for confirming its knees. */
static const double CONFIRM_PART = 1.0 / 8;

/* What a sweep may spend in each profile where it does not say so itself. */
static const struct budget {
    unsigned samples;
    double seconds;
} budgets[PROFILES] = {[PROFILE_SMOKE] = {12, 1},
                       [PROFILE_SIMULATED] = {400, 3},
                       [PROFILE_QUICK] = {600, 3},
                       [PROFILE_STANDARD] = {1200, 10},
                       [PROFILE_FULL] = {6000, 60}};

/*
 * Points of a coarse grid on simulated cores, at most: knees are narrowed all the same, and the instructions that a
 * decision takes grow with the square of the number of points.
 */
enum { SIMULATED_PER_OCTAVE = 2, SIMULATED_COARSE = 10 };

/* Stores what the record needs of a sample and the search does not store. False: the probe has ended. */
static bool keep_sample(struct sweep *s, const struct point *pt, double control)
{
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 256;
        struct sweep_sample *grown = realloc(s->samples, room * sizeof *grown);
        if (grown)
            s->samples = grown;
        double *scratch = realloc(s->scratch, room * sizeof *scratch);
        if (scratch)
            s->scratch = scratch;
        if (!grown || !scratch)
            return probe_skip(s->probe, "out of memory for the curve");
        s->room = room;
    }
    s->samples[s->count++] = (struct sweep_sample){.x = pt->x,
                                                   .median = pt->median,
                                                   .ns = pt->ns,
                                                   .y = pt->q20 - control,
                                                   .control = control,
                                                   .repeats = pt->repeats,
                                                   .rejected = pt->rejected};
    return true;
}

static bool measure_kernel(struct sweep *s, bool (*build)(struct probe *p, double x, void *context, struct kernel *k),
                           double x, struct point *out)
{
    struct kernel k = {.units = 1};
    if (!build(s->probe, x, s->context, &k))
        return false;
    k.length_factor = fmax(k.length_factor, 1) * fmax(s->length_factor, 1);
    return s->need ? probe_count(s->probe, &k, s->need, &out->q20) : probe_measure(s->probe, &k, out);
}

/* Measures the kernel of `build`; in an emulator it has to touch as many pages as it claims (touches_pages). */
static bool measure_checked(struct sweep *s, double x, struct point *out)
{
    const size_t pages = s->touches_pages && machine_info()->emulator ? s->area->bytes / s->area->page_bytes : 0;
    bool *accessed = pages ? calloc(pages, sizeof *accessed) : NULL;
    const bool known = accessed && !machine_pages_accessed(s->area, accessed); /* clears the flags */
    bool good = measure_kernel(s, s->build, x, out);
    size_t touched = 0;

    if (good && known && !machine_pages_accessed(s->area, accessed)) {
        for (size_t i = 0; i < pages; i++)
            touched += accessed[i];
        s->checked++;
        if (touched != (size_t)x) {
            s->probe->outcome = OUTCOME_FAULT;
            s->probe->fault = (struct fault){.vector = "wrong-pages", .syndrome = touched, .address = (uint64_t)x};
            good = false;
        }
    }
    free(accessed);
    return good;
}

static void extend(struct sweep *s, double seconds)
{
    s->deadline += seconds;
    s->confirm_at += seconds;
}

/* Drawing a line on a firmware's screen can take as long as the whole sweep: that is no time of the sweep. */
static void show(struct sweep *s, double x)
{
    const struct probe *p = s->probe;
    const double now = machine_seconds();
    char text[96];

    if (now - s->shown <= SHOW_SECONDS || probe_is_simulated(p))
        return;
    snprintf(text, sizeof text, "%s: %s, %s = %.0f, %u of at most %u samples", p->definition->name, s->name, s->axis, x,
             s->search.taken, s->search.budget);
    progress_show(&p->run->progress, text);
    s->shown = machine_seconds();
    extend(s, s->shown - now);
}

enum { SAMPLES_UNEQUAL = 3 };

/*
 * A simulated core repeats exactly, so samples taken at x before are used again in place of new ones: the first where
 * its readings were equal; otherwise, as the kernel is random, SAMPLES_UNEQUAL in turn. False: x needs a new sample.
 */
static bool take_again(const struct sweep *s, double x, double *y)
{
    const struct sweep_sample *at[SAMPLES_UNEQUAL];
    unsigned count = 0;

    if (!probe_is_simulated(s->probe))
        return false;
    for (size_t i = 0; i < s->count && count < SAMPLES_UNEQUAL; i++)
        if (s->samples[i].x >= x && s->samples[i].x <= x)
            at[count++] = &s->samples[i];
    if (count == 0 || (count < SAMPLES_UNEQUAL && !at[0]->repeats))
        return false;
    *y = at[at[0]->repeats ? 0 : s->search.taken % count]->y;
    return true;
}

/* The point of the slowest of s->slowest_of kernels, and the readings that were rejected of all. */
static bool measure_slowest(struct sweep *s, double x, struct point *out)
{
    const unsigned kernels = probe_is_simulated(s->probe) ? 1 : (unsigned)probe_smoke(s->probe, 1, s->slowest_of);
    bool good = measure_checked(s, x, out);

    for (unsigned i = 1; good && i < kernels; i++) {
        const unsigned rejected = out->rejected;
        struct point next = {.x = x};
        good = measure_checked(s, x, &next);
        if (good && (isnan(out->q20) || next.q20 > out->q20))
            *out = next;
        out->rejected = rejected + next.rejected;
    }
    return good;
}

/* One sample for the search: y at x. */
static bool take_sample(void *context, double x, double *y)
{
    struct sweep *s = context;
    struct probe *p = s->probe;
    struct point pt = {.x = x}, control = {.q20 = 0};
    const double wait_before = p->run->meter.wait_seconds_left;

    if (take_again(s, x, y))
        return true;
    show(s, x);
    const bool good = s->measure
                          ? s->measure(p, x, s->context, &pt)
                          : measure_slowest(s, x, &pt) && (!s->control || measure_kernel(s, s->control, x, &control));
    if (!good)
        return false;
    if (s->count == 0 || isnan(s->control_first))
        s->control_first = control.q20;
    pt.repeats = pt.repeats && (!s->control || control.repeats);
    if (!keep_sample(s, &pt, control.q20 - s->control_first))
        return false;
    *y = s->samples[s->count - 1].y;
    /* Seconds that the meter waited until siblings slept are no time of the sweep. */
    extend(s, fmax(wait_before - fmax(p->run->meter.wait_seconds_left, 0), 0));
    const double now = meter_seconds(&p->run->meter);
    if (now > s->deadline)
        s->search.budget = s->search.taken;
    else if (now > s->confirm_at && s->search.reserved > 0) /* the rest is for confirming knees */
        s->search.budget = s->search.taken + s->search.reserved;
    return true;
}

bool sweep_search(struct probe *p, struct sweep *s)
{
    const struct budget *budget = &budgets[p->run->config.profile];
    const double seconds = s->seconds > 0 ? s->seconds : budget->seconds;

    s->probe = p;
    s->deadline = meter_seconds(&p->run->meter) + seconds;
    s->confirm_at = s->deadline - CONFIRM_PART * seconds;
    s->search.sample = take_sample;
    s->search.context = s;
    if (probe_is_simulated(p)) {
        s->search.repeats = true;
        s->search.per_octave = s->search.per_octave > SIMULATED_PER_OCTAVE ? SIMULATED_PER_OCTAVE
                                                                           : s->search.per_octave;
        s->search.coarse = s->search.coarse > SIMULATED_COARSE ? SIMULATED_COARSE : s->search.coarse;
    }
    if (!s->search.budget)
        s->search.budget = budget->samples;
    bool good = search_run(&s->search);
    p->run->points += s->search.count;
    p->run->grid += (uint64_t)s->search.grid;
    if (!good && p->outcome == OUTCOME_OK)
        return probe_skip(p, "out of memory for the curve");
    if (good)
        curve_send(p, s);
    if (good && p->run->observer)
        curve_show(p, s);
    return good;
}

void sweep_free(struct sweep *s)
{
    search_free(&s->search);
    free(s->samples);
    free(s->scratch);
    s->samples = NULL;
    s->scratch = NULL;
    s->count = s->room = 0;
}

bool sweeps_search(struct probe *p, struct sweep *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!sweep_search(p, &s[i]))
            return false;
    return true;
}

void sweeps_free(struct sweep *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sweep_free(&s[i]);
}
