#include "lib/engine/rise.h"

#include <math.h>
#include <stdlib.h>

#include "lib/engine/smooth.h"

enum { CANDIDATES = 96 /* places at which a rise may begin, and end, that are tried one by one */ };

/* What a rise among others must gain over a smooth curve: it has a parameter more. Whether there is one at all is
 * another question, and has the penalty of a cut. */
static const double KNEE_PRICE = 6;
/* Cuts within this of the best sum of squares stay in the interval: a likelihood ratio of exp(-9 / 2) = 1 : 90. */
static const double WITHIN = 9;
/* Levels are known no better than this part of a rise: some of its foot or top is always among their points. */
static const double LEVEL_ERROR = 0.001;
/* The middle part of a rise, and what share of its width a bend may shift its middle: a rise that is an S over the
 * logarithm of x from half the capacity to twice it is shifted by 0.017 of it. */
static const double MIDDLE_FROM = 0.3, MIDDLE_TO = 0.7, BEND = 0.04;
/* A rise is so many times as steep as the levels on its sides. */
static const double STEEPER = 2;
/* A point that far above a height is above it. */
static const double SURE = 3;

/* What a jump to a slope must gain over a ramp without a jump: any first point that lies high by chance would make one. */
static const double JUMP_PRICE = 36;

/* A rise that has not ended may begin with a jump: the best line through points good + 1 … bad - 1, wherever it begins. */
static double fit_jump(const struct curve *c, const struct line *before, double ramp, struct cut *k)
{
    const struct series *s = &c->s;
    double x = s->x[k->good], end = s->x[k->bad - 1];

    if (k->bad - k->good <= 4)
        return ramp;
    struct line l = series_line(s, k->good + 1, k->bad, true);
    double cost = l.cost + RAMP_PRICE + JUMP_PRICE;
    if (!(cost < ramp) || !(l.slope > 0) || !(line_at(&l, x) > line_at(before, x)))
        return ramp;
    k->jumps = true;
    k->p = x;
    k->q = end;
    k->after = line_at(&l, end);
    return cost;
}

/*
 * The best ramp through points good + 1 … bad - 1 that begins on the line before within [x[good], x[good + 1]) and
 * ends on the line after within (x[bad - 1], x[bad]]: begin and end are fitted in turn.
 */
static double fit_ramp(const struct curve *c, const struct line *before, const struct line *after, struct cut *k)
{
    const struct series *s = &c->s;
    size_t first = k->good + 1, end = k->bad;
    double p_most = fmax(s->x[k->good], s->x[first] - c->step);
    double q_least = s->x[end - 1] + c->step, q_most = k->bad < s->count ? s->x[k->bad] : INFINITY;
    double best = INFINITY;

    if (!(q_least < q_most))
        q_least = q_most;
    double p = s->x[k->good], a = line_at(before, p);
    for (unsigned round = 0; round < 4; round++) {
        double slope = series_slope(s, first, end, p, a);
        double q = q_most;
        if (slope > 0 && after) {
            /* p and q are near each other on the scale on which levels slope: their slopes are left out */
            double b = line_at(after, fmin(q_most, s->x[end - 1]));
            q = fmax(q_least, fmin(q_most, p + (b - a) / slope));
        }
        double b = after ? line_at(after, q) : a + fmax(slope, 0) * (s->x[end - 1] - p);
        if (!after)
            q = s->x[end - 1];
        double cost = q > p ? series_cost(s, first, end, p, a, (b - a) / (q - p)) : INFINITY;
        if (cost < best) {
            best = cost;
            k->p = p;
            k->q = q;
            k->after = b;
        }
        /* Now the other end: the line through (q, b) meets the level before at p. */
        double back = series_slope(s, first, end, q, b);
        if (!(back > 0))
            break;
        double next = fmax(s->x[k->good], fmin(p_most, q - (b - a) / back));
        if (!(fabs(next - p) > c->step / 4))
            break;
        p = next;
        a = line_at(before, p);
    }
    return after ? best + RAMP_PRICE : fit_jump(c, before, best + RAMP_PRICE, k);
}

static void try_cut(const struct curve *c, const struct rise *r, const struct line *before, struct cut *k)
{
    const struct series *s = &c->s;
    bool open = k->bad >= r->end;
    struct line after = {0};

    if (!open)
        after = series_line(s, k->bad, r->end, r->slope_after && r->end - k->bad > 3);
    k->cost = before->cost + after.cost;
    k->p = s->x[k->good];
    k->q = open ? s->x[r->end - 1] : s->x[k->bad];
    if (k->bad > k->good + 1)
        k->cost += fit_ramp(c, before, open ? NULL : &after, k);
    k->before = line_at(before, s->x[k->good]);
    if (!open)
        k->after = line_at(&after, s->x[k->bad]);
    if (!(k->after > k->before)) /* that is no rise */
        k->cost = INFINITY;
}

/*
 * The best way to see the rise when it begins after point `good`. Where there are too many ends to try, some are tried,
 * then those around the best of them.
 */
static struct cut best_end(const struct curve *c, const struct rise *r, size_t good)
{
    const struct line before = series_line(&c->s, r->first, good + 1, r->slope_before && good + 1 - r->first > 3);
    struct cut best = {.good = good, .bad = r->to, .cost = INFINITY};
    size_t from = r->open ? r->to : good + 1, to = r->to, stride;

    do {
        stride = (to - from) / CANDIDATES + 1;
        for (size_t bad = from; bad <= to; bad = bad < to && bad + stride > to ? to : bad + stride) {
            struct cut k = {.good = good, .bad = bad};
            try_cut(c, r, &before, &k);
            if (k.cost < best.cost)
                best = k;
        }
        from = best.bad > from + stride ? best.bad - stride : from;
        to = best.bad + stride < to ? best.bad + stride : to;
    } while (stride > 1);
    return best;
}

/*
 * The cut of points good … bad at a height: points up to some x are below it and those past it above. What a point on
 * the wrong side says against an x is the square of its deviations; every x near the best stays in the interval
 * low … high - 1. Returns the best one.
 */
static size_t cut_at(const struct curve *c, size_t good, size_t bad, double height, double tolerance, size_t *low,
                     size_t *high)
{
    const struct series *s = &c->s;
    double least = INFINITY, from = 0; /* `from`: what all points above speak against the first x */
    size_t best = good;

    *low = *high = bad;
    for (size_t i = good + 1; i < bad; i++) {
        double d = fmax(0, height - tolerance - s->y[i]);
        from += d * d / s->variance[i];
    }
    for (unsigned pass = 0; pass < 2; pass++) {
        double against = from;
        for (size_t i = good; i < bad; i++) {
            double under = fmax(0, height - tolerance - s->y[i]), over = fmax(0, s->y[i] - height - tolerance);
            if (i > good)
                against += (over * over - under * under) / s->variance[i];
            if (pass == 0 && against < least) {
                least = against;
                best = i;
            } else if (pass == 1 && against <= least + WITHIN) {
                *low = i < *low ? i : *low;
                *high = i + 1;
            }
        }
    }
    return best;
}

/*
 * Half way up. Where single points tell on which side they are, they do; where the rise is slow a straight line through
 * its middle part is followed to that height, and widened by what a bend of the rise may shift it.
 */
static void find_half(const struct curve *c, size_t good, size_t bad, double before, double after, struct knee *k)
{
    const struct series *s = &c->s;
    double rise = after - before, half = before + rise / 2;
    size_t low, high, first, last, ignored, best = cut_at(c, good, bad, half, LEVEL_ERROR * rise, &low, &high);

    k->half = s->x[best];
    k->half_low = s->x[low];
    k->half_high = s->x[high];
    if (high - low <= 2)
        return;
    first = cut_at(c, good, bad, before + MIDDLE_FROM * rise, 0, &ignored, &ignored) + 1;
    last = cut_at(c, good, bad, before + MIDDLE_TO * rise, 0, &ignored, &ignored) + 1;
    if (last < first + 4)
        return;
    struct line l = series_line(s, first, last, true);
    if (!(l.slope > 0))
        return;
    double weight = 0, x = (half - l.at) / l.slope;
    for (size_t i = first; i < last; i++)
        weight += 1 / s->variance[i];
    double deviation = sqrt(fmax(1, l.cost / (double)(last - first - 2)) / weight) / l.slope;
    double margin = SURE * deviation + BEND * (s->x[last - 1] - s->x[first]);
    x = fmax(s->x[good], fmin(x, s->x[bad]));
    k->half = floor(x / c->step) * c->step;
    k->half_low = fmax(s->x[good], floor((x - margin) / c->step) * c->step);
    k->half_high = fmin(s->x[bad], (floor((x + margin) / c->step) + 1) * c->step);
}

static struct line line_before(const struct curve *c, const struct rise *r, size_t good)
{
    return series_line(&c->s, r->first, good + 1, r->slope_before && good + 1 - r->first > 3);
}

static double excess_of(const struct series *s, const struct cut *k)
{
    size_t inside = k->bad - k->good - 1;

    if (inside < 3)
        return 1;
    double cost = k->jumps
                      ? series_line(s, k->good + 1, k->bad, true).cost
                      : series_cost(s, k->good + 1, k->bad, k->p, k->before, (k->after - k->before) / (k->q - k->p));
    return fmax(1, cost / (double)(inside - 1));
}

/* Between a beginning that may be it and one that may not: the last one that may. */
static size_t border(const struct curve *c, const struct rise *r, double most, size_t may, size_t cannot)
{
    while (may + 1 < cannot || cannot + 1 < may) {
        size_t middle = (may + cannot) / 2;
        *(best_end(c, r, middle).cost <= most ? &may : &cannot) = middle;
    }
    return may;
}

void view_rise(const struct curve *c, const struct rise *r, struct view *v)
{
    double costs[CANDIDATES + 2] = {0};
    size_t to = r->to - 1, from = r->from < to ? r->from : to, stride = (to - from) / CANDIDATES + 1, tried = 0;

    v->top = (struct cut){.good = from, .bad = r->to, .cost = INFINITY};
    v->end = r->end;
    for (size_t good = from; good <= to; good += stride) {
        struct cut k = best_end(c, r, good);
        costs[tried++] = k.cost;
        if (k.cost < v->top.cost)
            v->top = k;
    }
    for (size_t fine = stride; fine > 1;) {
        size_t low = v->top.good > from + fine ? v->top.good - fine : from;
        size_t high = v->top.good + fine < to ? v->top.good + fine : to;
        fine = (high - low) / CANDIDATES + 1;
        for (size_t good = low; good <= high; good += fine) {
            struct cut k = best_end(c, r, good);
            if (k.cost < v->top.cost)
                v->top = k;
        }
    }
    v->excess = excess_of(&c->s, &v->top);
    /* Where a straight ramp is not the whole truth, what it leaves over widens the interval. */
    double most = v->top.cost + (v->top.bad > v->top.good + 1 ? WITHIN_RAMP : WITHIN) * v->excess;
    v->low = v->high = v->top.good;
    for (size_t i = 0; i < tried; i++)
        if (costs[i] <= most) {
            v->low = from + i * stride < v->low ? from + i * stride : v->low;
            v->high = from + i * stride > v->high ? from + i * stride : v->high;
        }
    if (stride > 1) {
        v->low = v->low < from + stride ? from : border(c, r, most, v->low, v->low - stride);
        v->high = v->high + stride > to ? to : border(c, r, most, v->high, v->high + stride);
    }
}

/*
 * Where good and bad points mix, all of the mixture is in doubt: from before the first point that is surely nearer to
 * the level after, to after the last one that is surely nearer to the level before.
 */
static bool find_mixture(const struct curve *c, const struct rise *r, double half, struct knee *k)
{
    const struct series *s = &c->s;
    size_t bad = r->to, good = r->from;

    for (size_t i = r->from; i < r->to; i++) {
        double sure = SURE * sqrt(s->variance[i]);
        if (i < bad && s->y[i] > half + sure)
            bad = i;
        if (s->y[i] < half - sure)
            good = i;
    }
    if (good < bad || bad == 0 || good + 1 >= s->count)
        return false;
    k->low = fmin(k->low, s->x[bad - 1]);
    k->high = fmax(k->high, s->x[good + 1]);
    k->fuzzy = true;
    return true;
}

/* A rise that is no straight ramp may begin as one: its beginning is told by the longest part that is straight. */
static struct view view_beginning(const struct curve *c, struct rise r, struct view whole)
{
    struct view v = whole;

    while (v.excess > STRAIGHT && v.top.bad - v.top.good > 4) {
        struct view part;
        r.end = r.to = v.top.good + 1 + (v.top.bad - v.top.good - 1) / 2;
        r.open = true;
        view_rise(c, &r, &part);
        if (!(part.top.cost < INFINITY))
            break;
        v = part;
    }
    return v;
}

/*
 * What is further off the level before than that one's points scatter has left it, however noisy what comes after is:
 * last good is the last point up to `good` that has not.
 */
static size_t last_on_level(const struct curve *c, const struct rise *r, size_t good, bool *ready)
{
    const struct series *s = &c->s;
    double *scratch = malloc((s->count + 1) * sizeof *scratch);

    *ready = *ready && scratch;
    if (scratch && good > r->first + 1) {
        const struct line before = line_before(c, r, good - 1);
        double sure = SPIKE * curve_deviation(c, r->first, good, scratch);
        while (good > r->first + 1 && s->y[good] > line_at(&before, s->x[good]) + sure)
            good--;
    }
    free(scratch);
    return good;
}

/* What the best step costs among the beginnings that may be. */
static double best_step(const struct curve *c, const struct rise *r, const struct view *v)
{
    double best = INFINITY;

    for (size_t good = v->low; good <= v->high && good + 1 < r->end; good++) {
        const struct line before = line_before(c, r, good);
        struct cut k = {.good = good, .bad = good + 1};
        try_cut(c, r, &before, &k);
        best = fmin(best, k.cost);
    }
    return best;
}

/*
 * Where a ramp may begin, though it is told to begin later: what bends at its foot rises less than the ramp does, and as
 * long as even that is no sure rise, nothing is seen of it.
 */
static double begins_unseen(const struct curve *c, const struct cut *ramp)
{
    const double slope = (ramp->after - ramp->before) / (ramp->q - ramp->p);
    const double unseen = SURE * sqrt(c->s.variance[ramp->good]) / slope;

    return (floor(ramp->p / c->step) - floor(unseen / c->step)) * c->step;
}

/*
 * Whether y only goes on: with no more than twice the slope of the level before or of the one after; or, of a rise that
 * takes more than a step, as one smooth curve does from as far before it to as far behind it. (Pieces of such a curve
 * that chance to lie flat have none in common with what is between them.)
 */
static bool goes_on(const struct curve *c, const struct rise *r, size_t good, size_t bad, const struct knee *k,
                    bool *ready)
{
    const struct series *s = &c->s;
    double slope = line_before(c, r, good).slope, width = k->end - k->value;
    size_t first = r->first, end = r->end;

    if (bad + 3 < r->end && r->slope_after)
        slope = fmax(slope, series_line(s, bad, r->end, true).slope);
    if (k->after - k->before < STEEPER * slope * (s->x[bad] - k->value))
        return true;
    while (first > 0 && s->x[first - 1] >= k->value - width)
        first--;
    while (end < s->count && s->x[end] <= k->end + width)
        end++;
    return bad > good + 2 && goes_on_smoothly(c, first, end, ready);
}

bool decide_rise(const struct curve *c, const struct rise *r, struct knee *out, bool *good)
{
    const struct series *s = &c->s;
    struct view whole, begin;

    view_rise(c, r, &whole);
    if (!(whole.top.cost < INFINITY))
        return false;
    double before = isnan(r->before) ? whole.top.before : r->before;
    double after = isnan(r->after) ? whole.top.after : r->after;
    size_t bad = whole.top.bad < s->count ? whole.top.bad : s->count - 1;

    if (r->hidden && whole.low <= r->first + 1) /* it may as well rise from the first point on */
        return false;
    *out = (struct knee){.low = INFINITY, .high = -INFINITY, .before = whole.top.before, .after = whole.top.after};
    begin = view_beginning(c, *r, whole);
    bool climbs = !begin.top.jumps && begin.top.bad > begin.top.good + 1;
    if (r->hidden && climbs && begin.low <= r->first + 1) /* so may its first part, unless it jumps */
        return false;
    /* A rise that begins sharply and bends over later shows its knee in its first part. */
    if (!r->window && !needs_knee(c, r->first, whole.end, whole.top.cost, KNEE_PRICE, 0, good) &&
        (begin.end == whole.end || !needs_knee(c, r->first, begin.end, begin.top.cost, KNEE_PRICE, 0, good)))
        return false;
    if (find_mixture(c, r, (before + after) / 2, out)) {
        begin = whole;
    } else {
        begin.low = last_on_level(c, r, begin.low, good);
        begin.top.good = begin.top.bad > begin.top.good + 1 ? begin.top.good
                                                            : last_on_level(c, r, begin.top.good, good);
        begin.low = begin.top.good < begin.low ? begin.top.good : begin.low;
    }
    out->value = s->x[begin.top.good];
    out->low = fmin(out->low, s->x[begin.low]);
    out->high = fmax(out->high, s->x[begin.high + 1 < s->count ? begin.high + 1 : s->count - 1]);
    out->end = fmax(s->x[bad], out->high);
    out->ramp = !out->fuzzy && !begin.top.jumps && begin.top.bad > begin.top.good + 1 &&
                best_step(c, r, &begin) > whole.top.cost + RAMP_PRICE;
    if (out->ramp) { /* it may begin between two points */
        out->value = fmax(out->low, floor(begin.top.p / c->step) * c->step);
        out->before = begin.top.before;
        out->low = fmax(s->x[r->first], fmin(out->low, begins_unseen(c, &begin.top)));
    }
    if (out->ramp && !r->window && !needs_knee(c, r->first, whole.end, whole.top.cost, KNEE_PRICE, SLOW, good) &&
        (begin.end == whole.end || !needs_knee(c, r->first, begin.end, begin.top.cost, KNEE_PRICE, SLOW, good)))
        return false;
    if (goes_on(c, r, begin.top.good, bad, out, good))
        return false;
    if (!isnan(r->after)) /* a fitted ramp may end before a bent one does */
        while (bad + 1 < r->end && s->y[bad] < (before + after) / 2 + SURE * sqrt(s->variance[bad]))
            bad++;
    find_half(c, begin.low, bad > begin.low ? bad : begin.low + 1, before, after, out);
    return true;
}
