#include "lib/structure/user_cost.h"

#include <math.h>

#include "lib/base/statistics.h"

enum {
    CODE_BYTES = 2048, /* of the shorter unrolled kernel, at most: the longer one fits the first level's caches */
    COPIES_MOST = 100, /* unless the kernel says otherwise: the loop's two instructions are 2 % of them then */
    SAMPLES = 5,
    COLD_SAMPLES = 99,
    COLD_SAMPLES_MOST = 200, /* with those that were interrupted */
    SAMPLES_MOST = 16,
    /*
     * NOPs of the least length by which the second layout lies further on than the first: no multiple of 16 or 32
     * bytes, by which cores fetch.
     */
    SHIFT = 5
};

/*
 * By how much readings are longer than usual: to enter and leave the harness takes some hundred cycles, half a percent
 * of a usual reading (measured: a chain of loads took 4.019 cycles, and not 4), and less than a tenth so; no test:
 * modelled readings are shorter.
 */
static const double LONGER = 8;

unsigned user_copies(const struct user_kernel *k)
{
    const size_t fit = CODE_BYTES / k->code_bytes;

    if (k->unroll)
        return k->unroll;
    return fit > COPIES_MOST ? COPIES_MOST : fit > 0 ? (unsigned)fit : 1;
}

static void note_end(struct user_end *end, const struct user_place *w, const struct user_variant *v,
                     const struct kernel *k, const struct window_result *result)
{
    end->end = result->end;
    end->fault = result->fault;
    if (result->end != WINDOW_RAN && result->fault.pc)
        end->where = user_where(w, v, k->entry, result->fault.pc, &end->offset);
}

bool user_try(struct probe *p, struct user_place *w, struct user_cost *c)
{
    struct user_variant once = {.copies = 1, .once = true}, many = {.copies = 2 * c->copies};
    const uint64_t iterations = 2;
    struct kernel k;

    if (!user_code_make(p, w, &once, &k))
        return false;
    struct reading r = {.kernel = k.entry, .argument = {iterations, 0}};
    struct window_result result = machine_window(&r, 1);
    note_end(&c->end, w, &once, &k, &result);
    if (result.end == WINDOW_RAN)
        c->end.breaks = user_left(w, iterations);
    if (result.end != WINDOW_RAN || c->end.breaks)
        return true;
    if (!user_code_make(p, w, &many, &k))
        return false;
    r = (struct reading){.kernel = k.entry, .argument = {iterations, 0}};
    result = machine_window(&r, 1);
    note_end(&c->end, w, &many, &k, &result);
    if (result.end == WINDOW_RAN)
        c->end.breaks = user_left(w, 0);
    return true;
}

bool user_measure(struct probe *p, struct user_place *w, const struct user_variant *v, unsigned samples,
                  struct user_end *end, struct user_cycles *out)
{
    double y[SAMPLES_MOST];
    size_t count = 0;

    *out = (struct user_cycles){NAN, NAN, NAN};
    samples = (unsigned)probe_smoke(p, 1, samples);
    for (unsigned i = 0; i < samples && i < SAMPLES_MOST; i++) {
        struct user_variant copy = *v;
        struct kernel k;
        struct point pt;
        if (!probe_goes_on(p) || !user_code_make(p, w, &copy, &k))
            return false;
        const struct window_result result = meter_measure(&p->run->meter, &k, &pt);
        note_end(end, w, &copy, &k, &result);
        if (result.end != WINDOW_RAN)
            return true;
        if (!isnan(pt.q20))
            y[count++] = pt.q20;
    }
    sort_numbers(y, count);
    *out = (struct user_cycles){quantile(y, count, 0.5), quantile(y, count, 0), quantile(y, count, 1)};
    return true;
}

/* One copy in a loop, and n against 2n copies, in the same layout. */
static bool measure_layout(struct probe *p, struct user_place *w, struct user_cost *c, unsigned layout)
{
    const unsigned n = c->copies;
    struct user_variant v = {.copies = 1, .shift = layout * SHIFT, .length_factor = LONGER};
    struct user_cycles once, twice;

    if (!user_measure(p, w, &v, SAMPLES, &c->end, &c->loop[layout]) || c->end.end != WINDOW_RAN)
        return p->outcome == OUTCOME_OK;
    v.copies = n;
    if (!user_measure(p, w, &v, SAMPLES, &c->end, &once) || c->end.end != WINDOW_RAN)
        return p->outcome == OUTCOME_OK;
    v.copies = 2 * n;
    if (!user_measure(p, w, &v, SAMPLES, &c->end, &twice) || c->end.end != WINDOW_RAN)
        return p->outcome == OUTCOME_OK;
    /* cycles are of a copy: n copies more take 2n times the one less n times the other */
    c->unrolled[layout] = (struct user_cycles){2 * twice.cycles - once.cycles, 2 * twice.least - once.most,
                                               2 * twice.most - once.least};
    return true;
}

/* Ticks from the beginning of the last reading of such a list to its end, of many lists; NaN where none was quiet. */
static bool cold_ticks(struct probe *p, struct user_place *w, unsigned copies, struct user_end *end, double y[],
                       size_t *count)
{
    struct user_variant v = {.copies = copies, .once = true};
    const unsigned samples = (unsigned)probe_smoke(p, 1, COLD_SAMPLES);
    struct kernel k;

    *count = 0;
    if (!user_code_make(p, w, &v, &k))
        return false;
    for (unsigned i = 0; i < COLD_SAMPLES_MOST && *count < samples; i++) {
        struct reading list[3];
        size_t used = 0;
        if (v.data_lines)
            list[used++] = (struct reading){.kernel = k.entry - v.entry + v.flush_data, .argument = {v.data_lines, 0}};
        list[used++] = (struct reading){.kernel = k.entry - v.entry + v.flush_code, .argument = {v.code_lines, 0}};
        list[used++] = (struct reading){.kernel = k.entry, .argument = {1, 0}};
        user_fill(w);
        const struct window_result result = machine_window(list, used);
        note_end(end, w, &v, &k, &result);
        if (result.end != WINDOW_RAN)
            return true;
        if (!result.interrupts && !result.smis && !result.throttled)
            y[(*count)++] = (double)(list[used - 1].end_ticks - list[used - 1].begin_ticks);
    }
    sort_numbers(y, *count);
    return true;
}

/*
 * The interval that holds the true median of sorted numbers 19 times of 20: the binomial distribution of how many lie
 * below it has a standard deviation of half the root of their count.
 */
static void median_interval(const double y[], size_t count, double *low, double *high)
{
    const double half = 1 / sqrt((double)count);

    *low = quantile(y, count, fmax(0, 0.5 - half));
    *high = quantile(y, count, fmin(1, 0.5 + half));
}

/* One execution with caches displaced, less that of the empty harness under the same circumstances. */
static bool measure_cold(struct probe *p, struct user_place *w, struct user_cost *c)
{
    double with[COLD_SAMPLES_MOST], without[COLD_SAMPLES_MOST], low, high, empty_low, empty_high;
    size_t count, empty;

    c->cold = (struct user_cycles){NAN, NAN, NAN};
    if (!cold_ticks(p, w, 0, &c->end, without, &empty) || !cold_ticks(p, w, 1, &c->end, with, &count))
        return false;
    if (c->end.end != WINDOW_RAN || !count || !empty)
        return true;
    median_interval(with, count, &low, &high);
    median_interval(without, empty, &empty_low, &empty_high);
    const double factor = c->hz / p->run->meter.tick_hz;
    c->cold = (struct user_cycles){factor * (quantile(with, count, 0.5) - quantile(without, empty, 0.5)),
                                   factor * (low - empty_high), factor * (high - empty_low)};
    return true;
}

bool user_cost_measure(struct probe *p, struct user_place *w, struct user_cost *c)
{
    for (unsigned layout = 0; layout < USER_LAYOUTS && c->end.end == WINDOW_RAN; layout++)
        if (!measure_layout(p, w, c, layout))
            return false;
    c->hz = p->run->meter.core_hz;
    return c->end.end != WINDOW_RAN || !w->kernel->cold || measure_cold(p, w, c);
}
