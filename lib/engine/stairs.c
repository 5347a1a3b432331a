#include "lib/engine/stairs.h"

#include <math.h>
#include <stdlib.h>

#include "lib/engine/segment.h"
#include "lib/engine/smooth.h"
#include "lib/engine/statistics.h"

enum { RISERS_AT_LEAST = 3, STAIRS_MAXIMUM = 512 };

/* One in four of a normal sample is within so many deviations. */
static const double NORMAL_25 = 0.3186;

/*
 * Many points of a staircase stand beside a riser, so that what lies off its neighbours is no measure of noise: the
 * smaller half of the differences is, of which a quarter of all is the middle at worst.
 */
static void weigh_stairs(struct curve *c, double *scratch)
{
    struct series *s = &c->s;
    size_t n = s->count;

    for (size_t i = 1; i < n; i++)
        scratch[i - 1] = fabs(s->y[i] - s->y[i - 1]);
    sort_numbers(scratch, n - 1);
    double sigma = quantile(scratch, n - 1, 0.25) / sqrt(2) / NORMAL_25, least = 1e-7 * scratch[n - 2];
    for (size_t i = 0; i < n; i++) {
        double v = fmax(fmax(sigma, least), isnan(c->error[i]) ? 0 : c->error[i]);
        s->variance[i] = v > 0 ? v * v : 1;
    }
    c->sigma = sigma;
    series_sum(s);
}

/* What remains of the squares when stair number k is as high as b + r k. */
static double stairs_cost(const struct series *s, const struct piece *stairs, size_t count)
{
    double w = 0, k1 = 0, k2 = 0, h1 = 0, kh = 0, cost = 0;

    for (size_t k = 0; k < count; k++) {
        double n = (double)(stairs[k].end - stairs[k].first), h = stairs[k].line.at;
        w += n;
        k1 += n * (double)k;
        k2 += n * (double)k * (double)k;
        h1 += n * h;
        kh += n * (double)k * h;
    }
    double r = (w * kh - k1 * h1) / (w * k2 - k1 * k1), b = (h1 - r * k1) / w;
    for (size_t k = 0; k < count; k++)
        cost += series_cost(s, stairs[k].first, stairs[k].end, 0, b + r * (double)k, 0);
    return cost;
}

/* Risers by differences alone: where y grows by more than half of what its largest jumps are. Median width, or NaN. */
static double width_by_jumps(const struct series *s, double *scratch)
{
    size_t n = s->count, jumps = 0;
    double last = 0;

    for (size_t i = 1; i < n; i++)
        scratch[i - 1] = s->y[i] - s->y[i - 1];
    sort_numbers(scratch, n - 1);
    /* the third largest: two may be disturbed */
    double least = n > 3 ? scratch[n - 4] / 2 : INFINITY;
    for (size_t i = 1; i < n; i++)
        if (s->y[i] - s->y[i - 1] > least) {
            if (jumps > 0)
                scratch[jumps - 1] = s->x[i] - last;
            last = s->x[i];
            jumps++;
        }
    return jumps >= RISERS_AT_LEAST ? median(scratch, jumps - 1) : (double)NAN;
}

bool decide_stairs(struct curve *c, struct verdict *out)
{
    const struct series *s = &c->s;
    size_t room = s->count < STAIRS_MAXIMUM ? s->count : STAIRS_MAXIMUM, count = 0;
    struct piece *stairs = malloc(room * sizeof *stairs);
    double *scratch = malloc((s->count + 1) * sizeof *scratch);
    bool good = stairs && scratch;

    if (good) {
        weigh_stairs(c, scratch);
        count = series_cut(s, 0, s->count, c->penalty, INFINITY, 1, stairs, room);
    }
    out->sigma = c->sigma;
    good = good && count > 0;
    out->monotone = true;
    out->reason = count < 2 ? "no-knee" : "ambiguous";
    for (size_t i = 1; good && i < count; i++)
        out->monotone = out->monotone && stairs[i].line.at > stairs[i - 1].line.at;
    if (good && count > RISERS_AT_LEAST && out->monotone) {
        for (size_t i = 1; i < count; i++)
            scratch[i - 1] = stairs[i].line.at - stairs[i - 1].line.at;
        double rise = median(scratch, count - 1);
        for (size_t i = 2; i < count; i++)
            scratch[i - 2] = s->x[stairs[i].first] - s->x[stairs[i - 1].first];
        double width = median(scratch, count - 2), low = 0, high = INFINITY;
        bool equal = true;
        /* Any two risers, k stairs apart, are k widths apart, but for the gaps between points in which they are. */
        for (size_t i = 1; i < count; i++)
            for (size_t k = i + 1; k < count; k++) {
                double from = s->x[stairs[i].first], to = s->x[stairs[k].first];
                double from_low = s->x[stairs[i].first - 1], to_low = s->x[stairs[k].first - 1];
                low = fmax(low, (to_low - from) / (double)(k - i));
                high = fmin(high, (to - from_low) / (double)(k - i));
            }
        for (size_t i = 1; i < count; i++) {
            double r = stairs[i].line.at - stairs[i - 1].line.at;
            equal = equal && r > rise / 2 && r < rise * 2;
        }
        double value = floor(width / c->step + 0.5) * c->step;
        bool whole = value > low && value < high;
        for (size_t i = 2; i < count; i++)
            whole = whole && fabs(s->x[stairs[i].first] - s->x[stairs[i - 1].first] - value) <=
                                 s->x[stairs[i].first] - s->x[stairs[i].first - 1] - c->step / 2;
        /* A slope is no stairs, nor is a bent one, though they may be cut into pieces like them. */
        double slope = fmin(series_line(s, 0, s->count, true).cost, smooth_cost(s, 0, s->count));
        equal = equal && stairs_cost(s, stairs, count) + c->penalty < slope;
        if (equal && low < high) {
            double seen = width_by_jumps(s, scratch);
            double first = whole ? value : floor(low / c->step) * c->step;
            double beyond = whole ? value + c->step : (floor(high / c->step) + 1) * c->step;
            value = fmax(first, fmin(value, beyond - c->step));
            out->knees[0] = (struct knee){.value = value,
                                          .low = first,
                                          .high = beyond,
                                          .foot = first,
                                          .before = stairs[0].line.at,
                                          .after = stairs[1].line.at,
                                          .end = beyond,
                                          .half = value,
                                          .half_low = first,
                                          .half_high = beyond,
                                          .agreed = seen >= first && seen < beyond,
                                          .half_agreed = seen >= first && seen < beyond};
            out->count = 1;
            out->reason = NULL;
        }
    }
    for (size_t i = 0; good && i < count && i <= out->count; i++) {
        const struct piece *p = &stairs[i];
        out->levels[i] = (struct knee_level){.from = s->x[p->first], .to = s->x[p->end - 1], .height = p->line.at};
    }
    out->level_count = count < out->count + 1 ? count : out->count + 1;
    free(stairs);
    free(scratch);
    return good;
}
