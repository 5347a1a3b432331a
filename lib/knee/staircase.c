#include "lib/knee/staircase.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/knee/segment.h"
#include "lib/knee/smooth.h"
#include "lib/knee/tolerances.h"

/* Most steps that a curve is cut into. */
enum { STEPS_MAXIMUM = 512 };

/* A quarter of a normal sample lies within this many deviations of its mean. no test: it is exact. */
static const double NORMAL_25 = 0.3186;

/*
 * Sets the variances anew. Many points of a staircase stand beside a riser, so that the distance from the neighbours
 * is no measure of noise. With a riser at every other point half of the differences of neighbours are noise, and the
 * lower quartile of all of them is still one of these.
 */
static void set_variances(struct curve *c, double *scratch)
{
    struct series *s = &c->s;
    size_t n = s->count;

    for (size_t i = 1; i < n; i++)
        scratch[i - 1] = fabs(s->y[i] - s->y[i - 1]);
    sort_numbers(scratch, n - 1);
    double sigma = quantile(scratch, n - 1, 0.25) / sqrt(2) / NORMAL_25, least = DIGITS_OF_RANGE * scratch[n - 2];
    for (size_t i = 0; i < n; i++) {
        double v = fmax(fmax(sigma, least), isnan(c->error[i]) ? 0 : c->error[i]);
        s->variance[i] = v > 0 ? v * v : 1;
    }
    c->sigma = sigma;
    series_sum(s);
}

/* Sum of squares where step number k has the height b + r k, with the best b and r. */
static double staircase_cost(const struct series *s, const struct piece *steps, size_t count)
{
    double w = 0, k1 = 0, k2 = 0, h1 = 0, kh = 0, cost = 0;

    for (size_t k = 0; k < count; k++) {
        double n = (double)(steps[k].end - steps[k].first), h = steps[k].line.at;
        w += n;
        k1 += n * (double)k;
        k2 += n * (double)k * (double)k;
        h1 += n * h;
        kh += n * (double)k * h;
    }
    double r = (w * kh - k1 * h1) / (w * k2 - k1 * k1), b = (h1 - r * k1) / w;
    for (size_t k = 0; k < count; k++)
        cost += series_cost(s, steps[k].first, steps[k].end, 0, b + r * (double)k, 0);
    return cost;
}

/* The second view: risers are where y grows by more than half of its largest jumps. Median width, or NaN. */
static double width_by_jumps(const struct series *s, double *scratch)
{
    size_t n = s->count, jumps = 0;
    double last = 0;

    for (size_t i = 1; i < n; i++)
        scratch[i - 1] = s->y[i] - s->y[i - 1];
    sort_numbers(scratch, n - 1);
    /* the third largest jump, since two may be disturbances */
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

bool decide_staircase(struct curve *c, struct verdict *out)
{
    const struct series *s = &c->s;
    size_t room = s->count < STEPS_MAXIMUM ? s->count : STEPS_MAXIMUM, count = 0;
    struct piece *steps = malloc(room * sizeof *steps);
    double *scratch = malloc((s->count + 1) * sizeof *scratch);
    bool good = steps && scratch;

    if (good) {
        set_variances(c, scratch);
        count = series_cut(s, 0, s->count, c->penalty, INFINITY, 1, steps, room);
    }
    out->sigma = c->sigma;
    good = good && count > 0;
    out->monotone = true;
    out->reason = count < 2 ? REASON_NO_KNEE : REASON_AMBIGUOUS;
    for (size_t i = 1; good && i < count; i++)
        out->monotone = out->monotone && steps[i].line.at > steps[i - 1].line.at;
    if (good && count > RISERS_AT_LEAST && out->monotone) {
        for (size_t i = 1; i < count; i++)
            scratch[i - 1] = steps[i].line.at - steps[i - 1].line.at;
        double rise = median(scratch, count - 1);
        for (size_t i = 2; i < count; i++)
            scratch[i - 2] = s->x[steps[i].first] - s->x[steps[i - 1].first];
        double width = median(scratch, count - 2), low = 0, high = INFINITY;
        bool equal = true;
        /* Two risers k steps apart are k widths apart, up to the gaps between points in which they lie. */
        for (size_t i = 1; i < count; i++)
            for (size_t k = i + 1; k < count; k++) {
                double from = s->x[steps[i].first], to = s->x[steps[k].first];
                double from_low = s->x[steps[i].first - 1], to_low = s->x[steps[k].first - 1];
                low = fmax(low, (to_low - from) / (double)(k - i));
                high = fmin(high, (to - from_low) / (double)(k - i));
            }
        for (size_t i = 1; i < count; i++) {
            double r = steps[i].line.at - steps[i - 1].line.at;
            equal = equal && r > rise / RISER_RATIO && r < rise * RISER_RATIO;
        }
        double value = floor(width / c->step + 0.5) * c->step;
        bool whole = value > low && value < high;
        for (size_t i = 2; i < count; i++)
            whole = whole && fabs(s->x[steps[i].first] - s->x[steps[i - 1].first] - value) <=
                                 s->x[steps[i].first] - s->x[steps[i].first - 1] - c->step / 2;
        /* A line or a smooth curve, too, may be cut into pieces that look like steps. */
        double slope = fmin(series_line(s, 0, s->count, true).cost, smooth_cost(s, 0, s->count));
        equal = equal && staircase_cost(s, steps, count) + c->penalty < slope;
        if (equal && low < high) {
            double by_jumps = width_by_jumps(s, scratch);
            double first = whole ? value : floor(low / c->step) * c->step;
            double beyond = whole ? value + c->step : (floor(high / c->step) + 1) * c->step;
            value = fmax(first, fmin(value, beyond - c->step));
            out->knees[0] = (struct knee){.value = value,
                                          .low = first,
                                          .high = beyond,
                                          .foot = first,
                                          .before = steps[0].line.at,
                                          .after = steps[1].line.at,
                                          .end = beyond,
                                          .half_rise = value,
                                          .half_rise_low = first,
                                          .half_rise_high = beyond,
                                          .agreed = by_jumps >= first && by_jumps < beyond,
                                          .half_rise_agreed = by_jumps >= first && by_jumps < beyond};
            out->count = 1;
            out->reason = REASON_NONE;
        }
    }
    for (size_t i = 0; good && i < count && i <= out->count; i++) {
        const struct piece *p = &steps[i];
        out->levels[i] = (struct knee_level){.from = s->x[p->first], .to = s->x[p->end - 1], .height = p->line.at};
    }
    out->level_count = count < out->count + 1 ? count : out->count + 1;
    free(steps);
    free(scratch);
    return good;
}
