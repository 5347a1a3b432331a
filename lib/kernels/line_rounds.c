#include "lib/kernels/line_rounds.h"

#include <math.h>

#include "lib/base/statistics.h"
#include "lib/probe/beside.h"

enum { READINGS = 6, ATTEMPTS = 3, PAGE_BYTES = 4096 /* behind a pair's lines, for the state */ };

bool line_rounds_build(struct probe *p, struct line_rounds *r)
{
    struct code c = probe_code(p, ROUND_TRIP_CODE);

    round_trip_emit(p, &c);
    return probe_kernel(p, &c, 0, &r->kernel);
}

static size_t pair_bytes(const struct line_rounds *r)
{
    return r->lines * ROUND_TRIP_LINE + PAGE_BYTES;
}

bool line_rounds_map(struct probe *p, struct line_rounds *r, size_t pairs)
{
    return probe_map(p, &r->area, pairs * pair_bytes(r), 0);
}

/*
 * Measures nanoseconds a round over the line at that offset of the area, NaN where the other core did not respond.
 * Returns NULL, or why that core cannot be used. *good: the probe is not over.
 */
static const char *measure_line(struct probe *p, struct line_rounds *r, unsigned other, size_t line, size_t state,
                                double *ns, bool *good)
{
    struct round_trip_line *shared = (struct round_trip_line *)(r->area.write + line);
    const struct round_trip_state *kept = (const struct round_trip_state *)(r->area.write + state);
    const struct responder_task task = {.word = &shared->word};
    struct reading list[READINGS];
    struct window_result result;

    *ns = (double)NAN;
    shared->state = r->area.at + state;
    for (unsigned attempt = 0; attempt < ATTEMPTS && isnan(*ns); attempt++) {
        for (size_t i = 0; i < READINGS; i++)
            list[i] = (struct reading){.kernel = r->kernel.entry, .argument = {i ? r->rounds : 1, r->area.at + line}};
        const char *why = probe_window_beside(p, other, &task, list, READINGS, &result, good);
        if (why || !*good)
            return why;
        if (result.interrupts || result.smis || kept->left)
            continue;
        for (size_t i = 1; i < READINGS; i++) { /* the first one only wakes the other core */
            const double ticks = (double)(list[i].end_ticks - list[i].begin_ticks);
            p->run->meter.kernel_seconds += ticks / machine_info()->tick_hz;
            *ns = fmin(isnan(*ns) ? INFINITY : *ns, ticks / machine_info()->tick_hz * 1e9 / (double)r->rounds);
        }
    }
    return NULL;
}

const char *line_rounds_measure(struct probe *p, struct line_rounds *r, unsigned other, size_t pair, double *row,
                                struct line_times *out, bool *good)
{
    out->count = 0;
    for (size_t i = 0; i < r->lines; i++) {
        const size_t at = pair * pair_bytes(r);
        double ns;
        const char *why = measure_line(p, r, other, at + i * ROUND_TRIP_LINE, at + r->lines * ROUND_TRIP_LINE, &ns,
                                       good);
        if (why || !*good)
            return why;
        if (row)
            row[i] = ns;
        if (!isnan(ns))
            out->sorted[out->count++] = ns;
    }
    sort_numbers(out->sorted, out->count);
    out->middle = quantile(out->sorted, out->count, 0.5);
    return NULL;
}
