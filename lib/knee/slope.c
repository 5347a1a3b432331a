#include "lib/knee/slope.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/knee/rise.h"
#include "lib/knee/segment.h"
#include "lib/knee/smooth.h"
#include "lib/knee/tolerances.h"

/* Fits a slope change whose first line ends at point `good`; another line begins there, or behind a jump. */
static void fit_change(const struct curve *c, size_t good, size_t end, struct line *before, struct line *after)
{
    const struct series *s = &c->s;
    double best = INFINITY;

    *before = series_line(s, 0, good + 1, true);
    for (int late = 0; late < 2; late++) { /* the change is at point `good`, or one step before the next one */
        double x = late ? fmax(s->x[good], s->x[good + 1] - c->step) : s->x[good], y = line_at(before, x);
        double slope = series_slope(s, good + 1, end, x, y), cost = series_cost(s, good + 1, end, x, y, slope);
        if (cost < best) {
            best = cost;
            *after = (struct line){y - slope * x, slope, cost};
        }
    }
    struct line freely = series_line(s, good + 1, end, true);
    freely.cost += JUMP_PRICE;
    if (end - good > 3 && freely.cost < best)
        *after = freely;
}

/* Sum of squares for each point on either side of a slope change, in variances, at least 1. */
struct scatter {
    double before, after;
};

static double change_cost(const struct curve *c, size_t good, size_t end, const struct scatter *e)
{
    struct line before = {0}, after = {0};

    fit_change(c, good, end, &before, &after);
    return before.cost / e->before + after.cost / e->after + (double)(good + 1) * ln_rough(e->before) +
           (double)(end - good - 1) * ln_rough(e->after);
}

/* costs[i]: twice the negative log likelihood of a change at point i, but for a constant. Returns the best one. */
static size_t best_change(const struct curve *c, size_t end, const struct scatter *e, double *costs)
{
    size_t best = 2;

    costs[best] = INFINITY;
    for (size_t i = 2; i + 2 < end; i++) {
        costs[i] = change_cost(c, i, end, e);
        if (costs[i] < costs[best])
            best = i;
    }
    return best;
}

/* The second view: the line of Theil (1950) and Sen (1968) through points 0 … end - 1, from pairs end / 2 apart. */
static void median_line(const struct series *s, size_t end, double *scratch, double *at, double *slope)
{
    size_t half = end / 2, n = 0;

    for (size_t i = 0; i + half < end; i++)
        scratch[n++] = (s->y[i + half] - s->y[i]) / (s->x[i + half] - s->x[i]);
    *slope = median(scratch, n);
    for (size_t i = 0; i < end; i++)
        scratch[i] = s->y[i] - *slope * s->x[i];
    *at = median(scratch, end);
}

/* Whether the median line through points 0 … low is left for good from point `high` on. */
static bool line_left_at(const struct series *s, size_t low, size_t high, double *scratch)
{
    double at, slope;

    median_line(s, low + 1, scratch, &at, &slope);
    for (size_t i = 0; i <= low; i++)
        scratch[i] = fabs(s->y[i] - at - slope * s->x[i]);
    double scatter = SURE * MAD_TO_SIGMA * median(scratch, low + 1);
    size_t over = 0, rest = s->count - high, under = 0;
    for (size_t i = high; i < s->count; i++)
        over += s->y[i] > at + slope * s->x[i] + scatter;
    for (size_t i = 0; i <= low; i++)
        under += !(s->y[i] > at + slope * s->x[i] + scatter);
    return 100 * over >= ABOVE_LINE_PERCENT * rest && 100 * under >= ON_LINE_PERCENT * (low + 1);
}

/*
 * Where the first line is left for good: the end of the piece behind that place; 0 where it is not. Among the places
 * behind which all pieces lie above the line through all points before, it is the one whose next piece lies highest,
 * relative to the scatter of the points before.
 */
static size_t end_of_departure(const struct series *s, const struct piece *pieces, size_t count)
{
    double most = 0, weight = 0;
    size_t end = 0;

    for (size_t i = 0; i + 1 < count; i++) {
        const struct line before = series_line(s, 0, pieces[i].end, true);
        double left = line_at(&before,
                              s->x[pieces[i].end - 1]); /* y may fall from here and come back before it rises */
        bool above = true;
        for (size_t k = pieces[i].first; k < pieces[i].end; k++)
            weight += 1 / s->variance[k];
        for (size_t k = i + 1; k < count; k++) {
            size_t last = pieces[k].end - 1, middle = (pieces[k].first + last) / 2;
            double noise = RISE * sqrt(s->variance[last]);
            above = above && line_at(&pieces[k].line, s->x[last]) > fmax(left, line_at(&before, s->x[last])) + noise &&
                    line_at(&pieces[k].line, s->x[middle]) > fmax(left, line_at(&before, s->x[middle]));
        }
        const struct piece *next = &pieces[i + 1];
        double x = s->x[(next->first + next->end - 1) / 2], points = (double)pieces[i].end;
        double scatter = sqrt((before.cost + points) / weight); /* at least the noise */
        double height = (line_at(&next->line, x) - line_at(&before, x)) / scatter;
        if (above && height > most) {
            most = height;
            end = next->end;
        }
    }
    return end;
}

/* Whether y rises higher above the first line than the points of that scatter about it: otherwise they are no line. */
static bool rises_from_line(const struct curve *c, size_t good, const struct line *before, const struct knee *k)
{
    double weight = 0;

    for (size_t i = 0; i <= good; i++)
        weight += 1 / c->s.variance[i];
    return k->after - line_at(before, k->end) > RISE * sqrt(before->cost / weight);
}

/*
 * Whether y comes back below half of its rise, behind the part RISEN_PART of the piece in which it rises. That piece
 * may reach to the end of the curve, as in a wave that has more turns than there are pieces.
 */
static bool comes_back(const struct series *s, const struct knee *k)
{
    const double risen = k->value + RISEN_PART * (k->end - k->value), half = k->before + (k->after - k->before) / 2;
    size_t rest = 0, under = 0;

    for (size_t i = 0; i < s->count; i++)
        if (s->x[i] > risen) {
            rest++;
            under += s->y[i] < half;
        }
    return 100 * under > COMES_BACK_PERCENT * rest;
}

bool decide_slope(const struct curve *c, struct verdict *out)
{
    const struct series *s = &c->s;
    struct piece *pieces = malloc(PIECES_MAXIMUM * sizeof *pieces);
    double *costs = malloc((s->count + 1) * sizeof *costs), *scratch = malloc((s->count + 1) * sizeof *scratch);
    size_t count = 0, end = 0, n = s->count;
    bool good = pieces && costs && scratch;

    if (good)
        count = series_cut(s, 0, n, c->penalty, 0, 3, pieces, PIECES_MAXIMUM);
    good = good && count > 0;
    out->monotone = true;
    out->reason = REASON_NOT_LEFT;
    if (good)
        end = end_of_departure(s, pieces, count);
    if (good && end > 0) {
        struct line before = {0}, after = {0};
        struct scatter e = {1, 1};
        size_t best = best_change(c, end, &e, costs), low, high;
        bool knee = series_line(s, 0, end, true).cost - costs[best] > c->penalty &&
                    needs_knee(c, 0, end, costs[best], c->penalty, LONE_POINTS, &good);
        /* The best change again, with the scatter that each side has. */
        fit_change(c, best, end, &before, &after);
        e.before = fmax(1, before.cost / (double)best);
        e.after = fmax(1, after.cost / (double)(end - best - 2));
        best = best_change(c, end, &e, costs);
        for (low = best; low > 2 && costs[low - 1] <= costs[best] + (low == best ? WITHIN_SLOPE_CHANGE : WITHIN_RAMP);
             low--)
            ;
        for (high = best;
             high + 3 < end && costs[high + 1] <= costs[best] + (high == best ? WITHIN_SLOPE_CHANGE : WITHIN_RAMP);
             high++)
            ;
        if (knee) {
            fit_change(c, best, end, &before, &after);
            double x = s->x[best], next = s->x[high + 1];
            out->knees[0] = (struct knee){.value = x,
                                          .low = s->x[low],
                                          .high = next,
                                          .before = line_at(&before, x),
                                          .after = line_at(&after, s->x[end - 1]),
                                          .end = s->x[end - 1],
                                          .half_rise = x,
                                          .half_rise_low = s->x[low],
                                          .half_rise_high = next,
                                          .ramp = true,
                                          .agreed = line_left_at(s, low, high + 1, scratch)};
            out->knees[0].half_rise_agreed = out->knees[0].agreed;
            if (rises_from_line(c, best, &before, &out->knees[0]) && stands_out(c, 0, end, &out->knees[0], &good) &&
                !comes_back(s, &out->knees[0])) {
                out->count = 1;
                out->reason = REASON_NONE;
            }
        }
    }
    free(pieces);
    free(costs);
    free(scratch);
    return good;
}
