#include "lib/structure/time_gaps.h"

#include <math.h>

#include "lib/base/numbers.h"
#include "lib/base/record.h"
#include "lib/base/statistics.h"
#include "lib/structure/window_list.h"

static void add_gap(struct time_gaps *g, double ns)
{
    unsigned bin = 0;

    for (double edge = 2; edge <= ns && bin + 1 < GAPS_BINS; edge *= 2)
        bin++;
    g->bins[bin]++;
    g->count++;
    if (g->kept < GAPS_KEPT)
        g->gaps[g->kept++] = ns;
    g->longest_ns = fmax(g->longest_ns, ns);
}

/*
 * Finds how fine time stamps are: the smallest difference between two of the sorted distances, or the smallest distance
 * where some are 0. Distances that may contain gaps are not used.
 */
static void find_step(struct stamp_resolution *s, const double *sorted, size_t count, double period)
{
    for (size_t i = 1; i < count && (sorted[i] <= 2 * period || sorted[i - 1] <= 0); i++) {
        double step = sorted[i] - sorted[i - 1];
        if (step > 0 && (s->step_ticks <= 0 || step < s->step_ticks))
            s->step_ticks = step;
    }
}

/*
 * Adds the gaps of a list of `ran` readings, more than GAPS_LEAD + 1. The period is that of this list, since the core
 * clock may change between lists.
 */
static void add_list(struct time_gaps *g, struct stamp_resolution *s, const struct reading *list, size_t ran,
                     double *scratch)
{
    list += GAPS_LEAD;
    size_t count = ran - GAPS_LEAD - 1;

    for (size_t i = 0; i < count; i++)
        scratch[i] = (double)(list[i + 1].end_ticks - list[i].end_ticks);
    g->total_ticks += (double)(list[count].end_ticks - list[0].end_ticks);
    sort_numbers(scratch, count);
    double period = quantile(scratch, count, 0.5);
    find_step(s, scratch, count, period);
    double threshold = 2 * (period + s->step_ticks);
    while (count > 0 && scratch[count - 1] > threshold) {
        double gap = scratch[--count] - period;
        add_gap(g, ticks_to_ns(gap));
        g->lost_ticks += gap;
    }
    if (count > 0)
        s->blur_ticks = fmin(s->blur_ticks, scratch[count - 1] - scratch[0]);
    g->period_ns = ticks_to_ns(period);
    g->threshold_ns = ticks_to_ns(threshold - period);
}

bool time_gaps_measure(struct probe *p, struct time_gaps *g, struct stamp_resolution *s, enum silence silence,
                       double seconds, const struct gap_memory *m)
{
    const struct reading empty = {.kernel = (uintptr_t)reader_empty_kernel};
    /* a limit for time stamps that stand still: no reading takes less than 5 ns */
    const double most = 1 + seconds * 1e9 / 5 / (double)m->readings;
    size_t ran;

    if (!window_list_run(p, m->list, silence, empty, m->readings, &ran)) /* only warms up what lists touch */
        return false;
    g->gaps = m->gaps;
    s->blur_ticks = INFINITY;
    do {
        if (!window_list_run(p, m->list, silence, empty, m->readings, &ran))
            return false;
        g->lists++;
        g->cut += ran < m->readings;
        if (ran > GAPS_LEAD + 1)
            add_list(g, s, m->list, ran, m->numbers);
    } while (ticks_to_ns(g->total_ticks) < seconds * 1e9 && g->lists < most);
    if (isinf(s->blur_ticks)) /* every list was ended early */
        s->blur_ticks = 0;
    return true;
}

void time_gaps_send(struct probe *p, const struct time_gaps *g, const char *curve, const char *window)
{
    struct record r;
    unsigned first = 0, last = GAPS_BINS - 1;

    while (first + 1 < GAPS_BINS && ldexp(2, (int)first) <= g->threshold_ns)
        first++;
    while (last > first && !g->bins[last])
        last--;
    record_start(&r, &p->run->writer, "curve");
    record_text(&r, "probe", p->definition->name);
    record_text(&r, "name", curve);
    record_core(&r);
    record_text(&r, "axis", "gap_ns_from");
    record_text(&r, "unit", "gaps");
    record_array(&r, "x");
    for (unsigned i = first; i <= last; i++)
        record_number(&r, NULL, ldexp(1, (int)i));
    record_close(&r);
    record_array(&r, "count");
    for (unsigned i = first; i <= last; i++)
        record_integer(&r, NULL, g->bins[i]);
    record_close(&r);
    record_text(&r, "window", window);
    record_number(&r, "period_ns", rounded(g->period_ns));
    record_number(&r, "threshold_ns", rounded(g->threshold_ns));
    record_number(&r, "seconds", ticks_to_ns(g->total_ticks) / 1e9);
    record_integer(&r, "lists", g->lists);
    record_integer(&r, "cut", g->cut);
    record_send(&r);
}
