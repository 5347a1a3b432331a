#include "lib/structure/refresh_period.h"

#include <math.h>
#include <stdbool.h>

#include "lib/base/statistics.h"
#include "lib/structure/tolerances_rows.h"

enum {
    BINS = 16,
    BINS_MOST = 256, /* of a multiple of a period */
    SEARCHED = 128   /* bursts that are searched: the others only tell more precisely what is found */
};

/* ---- Folding ----------------------------------------------------------------------------------------------------- */

/* The numbers of loads, and the sums of what they took, by bin. */
struct folded {
    double count[BINS_MOST], sum[BINS_MOST];
};

static void fold(const struct load_burst *b, double period, size_t bins, struct folded *f)
{
    *f = (struct folded){.count = {0}};
    for (size_t i = 0; i < b->count; i++) {
        const double turns = b->loads[i].at / period, part = turns - (double)(size_t)turns;
        const size_t at = (size_t)(part * (double)bins), bin = at < bins ? at : bins - 1;
        f->count[bin]++;
        f->sum[bin] += b->loads[i].took;
    }
}

/* All bursts, the mean and deviation of each, and the shortest time that one lasts. */
struct search {
    struct load_burst *bursts;
    struct spread usual[REFRESH_BURSTS];
    size_t count;
    double span;
};

/* A statistic of the first bursts, and what chance gives of it. */
struct chi_squared {
    double sum, freedom;
};

static struct chi_squared statistic(const struct search *s, size_t count, double period, size_t bins)
{
    struct chi_squared chi = {0, 0};
    struct folded f;

    for (size_t b = 0; b < count; b++) {
        const double variance = s->usual[b].sigma * s->usual[b].sigma;
        if (!(variance > 0))
            continue;
        fold(&s->bursts[b], period, bins, &f);
        chi.freedom--;
        for (size_t i = 0; i < bins; i++)
            if (f.count[i] > 0) {
                const double apart = f.sum[i] / f.count[i] - s->usual[b].mean;
                chi.sum += apart * apart * f.count[i] / variance;
                chi.freedom++;
            }
    }
    return chi;
}

/* By how many standard deviations it exceeds what chance gives. */
static double excess(struct chi_squared chi)
{
    return chi.freedom > 0 ? (chi.sum - chi.freedom) / sqrt(2 * chi.freedom) : 0;
}

/* ---- The period -------------------------------------------------------------------------------------------------- */

/*
 * The period of the greatest excess between two in the first `count` bursts, and that excess. From one trial to the next
 * the last load of a burst moves by so many bins.
 */
static double best_between(const struct search *s, size_t count, double from, double to, double bins, double *most)
{
    double best = from;

    *most = 0;
    for (double period = from; period <= to; period += period * period / s->span * bins / BINS) {
        const double e = excess(statistic(s, count, period, BINS));
        if (e > *most) {
            *most = e;
            best = period;
        }
    }
    return best;
}

/* The same in all bursts around a period that is known to what one burst can tell. */
static double best_around(const struct search *s, double period, double *most)
{
    const double width = period * period / s->span / 4;

    return best_between(s, s->count, period - width, period + width, 0.125, most);
}

/*
 * A period's half, third and so on show as well as it does. So the longest multiple counts whose own bins, as many more,
 * say more than those of the period do: nearly as much again, where it is a multiple, and nothing where it is not.
 */
static double longest(const struct search *s, double period, double shown)
{
    const struct chi_squared once = statistic(s, s->count, period, BINS);

    for (size_t times = (size_t)(REFRESH_TO_NS / period); times > 1; times--) {
        const struct chi_squared all = statistic(s, s->count, (double)times * period, times * BINS);
        if (excess((struct chi_squared){all.sum - once.sum, all.freedom - once.freedom}) > REFRESH_SHOWS_MORE * shown)
            return (double)times * period;
    }
    return period;
}

/* ---- What loads wait --------------------------------------------------------------------------------------------- */

/*
 * Nanoseconds a period by which loads take longer in the bin of the longest mean and the two around it than elsewhere;
 * a bin is at least as long as a load.
 */
static double waited(const struct load_burst *b, double span, double period)
{
    struct folded f;
    double near = 0, near_count = 0, sum = 0, count = 0;
    size_t longest = 0;

    fold(b, period, BINS, &f);
    for (size_t i = 1; i < BINS; i++)
        if (f.sum[i] * f.count[longest] > f.sum[longest] * f.count[i])
            longest = i;
    for (size_t i = 0; i < BINS; i++) {
        const bool is_near = (i + BINS + 1 - longest) % BINS < 3;
        near += is_near ? f.sum[i] : 0;
        near_count += is_near ? f.count[i] : 0;
        sum += is_near ? 0 : f.sum[i];
        count += is_near ? 0 : f.count[i];
    }
    return (near - near_count * sum / count) / (span / period);
}

static double span_of(const struct load_burst *b)
{
    return b->count ? b->loads[b->count - 1].at - b->loads[0].at : 0;
}

static void find_wait(const struct search *s, struct refresh_period *out)
{
    double waits[REFRESH_BURSTS];

    for (size_t b = 0; b < s->count; b++)
        waits[b] = waited(&s->bursts[b], span_of(&s->bursts[b]), out->ns);
    out->wait = median(waits, s->count); /* sorts them */
    median_bounds(waits, s->count, &out->least, &out->most);
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

/* Cuts what takes longer than the middle of a burst by more than a refresh can. */
static void cut(struct load_burst *b)
{
    double took[REFRESH_LOADS];

    for (size_t i = 0; i < b->count; i++)
        took[i] = b->loads[i].took;
    const double most = median(took, b->count) + REFRESH_MOST_NS;
    for (size_t i = 0; i < b->count; i++)
        b->loads[i].took = fmin(b->loads[i].took, most);
}

/*
 * Takes away what a load takes by its place in the burst: readings lie one behind the other in memory, and take longer
 * where a line or a page begins, again and again at equal distances.
 */
static void level(const struct search *s)
{
    for (size_t i = 0; i < REFRESH_LOADS; i++) {
        double sum = 0;
        size_t count = 0;
        for (size_t b = 0; b < s->count; b++)
            if (i < s->bursts[b].count) {
                sum += s->bursts[b].loads[i].took;
                count++;
            }
        for (size_t b = 0; b < s->count; b++)
            if (i < s->bursts[b].count)
                s->bursts[b].loads[i].took -= sum / (double)count;
    }
}

static void prepare(struct search *s)
{
    double took[REFRESH_LOADS];

    s->span = INFINITY;
    for (size_t b = 0; b < s->count; b++) {
        cut(&s->bursts[b]);
        s->span = fmin(s->span, span_of(&s->bursts[b]));
    }
    level(s);
    for (size_t b = 0; b < s->count; b++) {
        for (size_t i = 0; i < s->bursts[b].count; i++)
            took[i] = s->bursts[b].loads[i].took;
        s->usual[b] = spread_of(took, s->bursts[b].count);
    }
}

void refresh_period_find(struct load_burst *bursts, size_t count, struct refresh_period *out)
{
    struct search s = {.bursts = bursts, .count = count};
    double most;

    *out = (struct refresh_period){REASON_NO_READINGS, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
    prepare(&s);
    if (!count || !(s.span > REFRESH_TURNS * REFRESH_TO_NS))
        return;
    const double rough = best_between(&s, count < SEARCHED ? count : SEARCHED, REFRESH_FROM_NS, REFRESH_TO_NS, 1,
                                      &most);
    const double best = best_around(&s, rough, &most);
    out->reason = REASON_NO_REFRESH;
    if (!(most > REFRESH_EXCESS))
        return;
    out->ns = longest(&s, best, most);
    out->reason = REASON_NONE;
    find_wait(&s, out);
}
