#include "lib/knee/rise.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "lib/knee/edge.h"
#include "lib/knee/smooth.h"
#include "lib/knee/tolerances.h"

/* Most places at which a rise may begin, and end, that are tried one by one. */
enum { CANDIDATES = 96 };

/*
 * Fits an open rise that begins with a jump: behind it a line through points good + 1 … bad - 1, which need not meet
 * the line before. Returns its cost and fills in *k if that is less than `ramp`, the cost of a ramp; else `ramp`.
 */
static double fit_jump(const struct curve *c, const struct line *before, double ramp, struct ramp_fit *k)
{
    const struct series *s = &c->s;
    double x = s->x[k->good], end = s->x[k->bad - 1];

    if (k->bad - k->good <= 4)
        return ramp;
    struct line l = series_line(s, k->good + 1, k->bad, true);
    double cost = l.cost + PARAMETER_PRICE + JUMP_PRICE;
    if (!(cost < ramp) || !(l.slope > 0) || !(line_at(&l, x) > line_at(before, x)))
        return ramp;
    k->jumps = true;
    k->begin = x;
    k->end = end;
    k->after = line_at(&l, end);
    return cost;
}

/*
 * Fits the ramp through points good + 1 … bad - 1 that begins on the line before within [x[good], x[good + 1]) and
 * ends on the line after within (x[bad - 1], x[bad]]: p and q, its x there, are fitted in turn, with heights a and b.
 * `after` is NULL for an open rise, which may be a jump instead. Returns the sum of squares plus the parameters' price.
 */
static double fit_ramp(const struct curve *c, const struct line *before, const struct line *after, struct ramp_fit *k)
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
            /* between p and q the level after hardly changes: its slope is left out */
            double b = line_at(after, fmin(q_most, s->x[end - 1]));
            q = fmax(q_least, fmin(q_most, p + (b - a) / slope));
        }
        double b = after ? line_at(after, q) : a + fmax(slope, 0) * (s->x[end - 1] - p);
        if (!after)
            q = s->x[end - 1];
        double cost = q > p ? series_cost(s, first, end, p, a, (b - a) / (q - p)) : INFINITY;
        if (cost < best) {
            best = cost;
            k->begin = p;
            k->end = q;
            k->after = b;
        }
        /* Now the beginning: the line through (q, b) meets the level before at p. */
        double back = series_slope(s, first, end, q, b);
        if (!(back > 0))
            break;
        double next = fmax(s->x[k->good], fmin(p_most, q - (b - a) / back));
        if (!(fabs(next - p) > c->step / 4))
            break;
        p = next;
        a = line_at(before, p);
    }
    return after ? best + PARAMETER_PRICE : fit_jump(c, before, best + PARAMETER_PRICE, k);
}

/*
 * Fits the rise between points k->good and k->bad. Where the levels on its sides alone cost as much as `limit`, no ramp
 * can make that less, and *k is as it was, with infinite cost.
 */
static void try_cut(const struct curve *c, const struct rise *r, const struct line *before, double limit,
                    struct ramp_fit *k)
{
    const struct series *s = &c->s;
    bool open = k->bad >= r->end;
    struct line after = {0};

    if (!open)
        after = series_line(s, k->bad, r->end, r->slope_after && r->end - k->bad > 3);
    k->cost = before->cost + after.cost;
    if (!(k->cost < limit)) {
        k->cost = INFINITY;
        return;
    }
    k->begin = s->x[k->good];
    k->end = open ? s->x[r->end - 1] : s->x[k->bad];
    if (k->bad > k->good + 1)
        k->cost += fit_ramp(c, before, open ? NULL : &after, k);
    k->before = line_at(before, s->x[k->good]);
    if (!open)
        k->after = line_at(&after, s->x[k->bad]);
    if (!(k->after > k->before)) /* no rise */
        k->cost = INFINITY;
}

/*
 * The best fit of a rise that begins behind point `good`; its cost is `limit` where none costs less. Where there are
 * too many ends to try, some are tried, then those around the best of them: then `limit` must be infinite, since that
 * one alone may cost more.
 */
static struct ramp_fit best_end(const struct curve *c, const struct rise *r, size_t good, double limit)
{
    const struct line before = series_line(&c->s, r->first, good + 1, r->slope_before && good + 1 - r->first > 3);
    struct ramp_fit best = {.good = good, .bad = r->to, .cost = limit};
    size_t from = r->open ? r->to : good + 1, to = r->to, stride;

    if (!(before.cost < limit))
        return best;
    do {
        stride = (to - from) / CANDIDATES + 1;
        for (size_t bad = from; bad <= to; bad = bad < to && bad + stride > to ? to : bad + stride) {
            struct ramp_fit k = {.good = good, .bad = bad};
            try_cut(c, r, &before, best.cost, &k);
            if (k.cost < best.cost)
                best = k;
        }
        from = best.bad > from + stride ? best.bad - stride : from;
        to = best.bad + stride < to ? best.bad + stride : to;
    } while (stride > 1);
    return best;
}

/*
 * Returns the point behind which points good … bad cross a height. For each candidate, the points on the wrong side of
 * the height cost the square of their distance beyond `tolerance`, in variances. The candidate with the least cost is
 * returned, and those within WITHIN_STEP of it are the interval *low … *high - 1.
 */
static size_t crossing_of(const struct curve *c, size_t good, size_t bad, double height, double tolerance, size_t *low,
                          size_t *high)
{
    const struct series *s = &c->s;
    double least = INFINITY, from = 0; /* `from`: cost of `good`, behind which all points should be above */
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
            } else if (pass == 1 && against <= least + WITHIN_STEP) {
                *low = i < *low ? i : *low;
                *high = i + 1;
            }
        }
    }
    return best;
}

/*
 * Sets the half-rise. On a steep rise each point is clearly below or above half of it. On a slow one a straight line
 * through the middle part gives the half-rise, and the interval allows for a rise that is curved.
 */
static void find_half_rise(const struct curve *c, size_t good, size_t bad, double before, double after, struct knee *k)
{
    const struct series *s = &c->s;
    double rise = after - before, half = before + rise / 2;
    size_t low, high, first, last, ignored, best = crossing_of(c, good, bad, half, LEVEL_ERROR * rise, &low, &high);

    k->half_rise = s->x[best];
    k->half_rise_low = s->x[low];
    k->half_rise_high = s->x[high];
    if (high - low <= 2)
        return;
    first = crossing_of(c, good, bad, before + MIDDLE_FROM * rise, 0, &ignored, &ignored) + 1;
    last = crossing_of(c, good, bad, before + MIDDLE_TO * rise, 0, &ignored, &ignored) + 1;
    if (last < first + 4)
        return;
    struct line l = series_line(s, first, last, true);
    if (!(l.slope > 0))
        return;
    double weight = 0, x = (half - l.at) / l.slope;
    for (size_t i = first; i < last; i++)
        weight += 1 / s->variance[i];
    double deviation = sqrt(fmax(1, l.cost / (double)(last - first - 2)) / weight) / l.slope;
    double margin = SURE * deviation + BENT_MIDDLE * (s->x[last - 1] - s->x[first]);
    x = fmax(s->x[good], fmin(x, s->x[bad]));
    k->half_rise = floor(x / c->step) * c->step;
    k->half_rise_low = fmax(s->x[good], floor((x - margin) / c->step) * c->step);
    k->half_rise_high = fmin(s->x[bad], (floor((x + margin) / c->step) + 1) * c->step);
}

static struct line line_before(const struct curve *c, const struct rise *r, size_t good)
{
    return series_line(&c->s, r->first, good + 1, r->slope_before && good + 1 - r->first > 3);
}

/* Sum of squares for each point of a ramp, in variances. At least 1; 1 with too few points. */
static double excess_of(const struct series *s, const struct ramp_fit *k)
{
    size_t inside = k->bad - k->good - 1;

    if (inside < 3)
        return 1;
    double cost = k->jumps ? series_line(s, k->good + 1, k->bad, true).cost
                           : series_cost(s, k->good + 1, k->bad, k->begin, k->before,
                                         (k->after - k->before) / (k->end - k->begin));
    return fmax(1, cost / (double)(inside - 1));
}

/* Bisects between `may`, a beginning whose cost is at most `most`, and `cannot`, whose cost is more. Returns the last
 * beginning before `cannot` whose cost is at most `most`. */
static size_t border(const struct curve *c, const struct rise *r, double most, size_t may, size_t cannot)
{
    while (may + 1 < cannot || cannot + 1 < may) {
        size_t middle = (may + cannot) / 2;
        *(best_end(c, r, middle, INFINITY).cost <= most ? &may : &cannot) = middle;
    }
    return may;
}

void rise_fit(const struct curve *c, const struct rise *r, struct rise_fit *v)
{
    double costs[CANDIDATES + 2] = {0};
    size_t to = r->to - 1, from = r->from < to ? r->from : to, stride = (to - from) / CANDIDATES + 1, tried = 0;
    const bool few = r->to - from <= CANDIDATES; /* all beginnings and ends are tried */

    v->best = (struct ramp_fit){.good = from, .bad = r->to, .cost = INFINITY};
    v->end = r->end;
    /* costs[i] is exact where it is less than all before it, and else, of few beginnings, just not less than those */
    for (size_t good = from; good <= to; good += stride) {
        struct ramp_fit k = best_end(c, r, good, few ? v->best.cost : INFINITY);
        costs[tried++] = k.cost;
        if (k.cost < v->best.cost)
            v->best = k;
    }
    for (size_t fine = stride; fine > 1;) {
        size_t low = v->best.good > from + fine ? v->best.good - fine : from;
        size_t high = v->best.good + fine < to ? v->best.good + fine : to;
        fine = (high - low) / CANDIDATES + 1;
        for (size_t good = low; good <= high; good += fine) {
            struct ramp_fit k = best_end(c, r, good, INFINITY);
            if (k.cost < v->best.cost)
                v->best = k;
        }
    }
    v->excess = excess_of(&c->s, &v->best);
    /* Where the rise is no straight ramp, what that leaves unexplained widens the interval. */
    double most = v->best.cost + (v->best.bad > v->best.good + 1 ? WITHIN_RAMP : WITHIN_STEP) * v->excess;
    v->low = v->high = v->best.good;
    for (size_t i = 0; i < tried; i++)
        if (costs[i] <= most && (!few || best_end(c, r, from + i, 2 * most + 1).cost <= most)) {
            v->low = from + i * stride < v->low ? from + i * stride : v->low;
            v->high = from + i * stride > v->high ? from + i * stride : v->high;
        }
    if (stride > 1) {
        v->low = v->low < from + stride ? from : border(c, r, most, v->low, v->low - stride);
        v->high = v->high + stride > to ? to : border(c, r, most, v->high, v->high + stride);
    }
}

/*
 * Whether good and bad points mix. The interval is then all of the mixture: from before the first point that is surely
 * nearer to the level after, to behind the last one that is surely nearer to the level before.
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

/* Fits the beginning of a rise that is no straight ramp: halves the section until the part that is left is straight. */
static struct rise_fit fit_beginning(const struct curve *c, struct rise r, struct rise_fit whole)
{
    struct rise_fit v = whole;

    while (v.excess > STRAIGHT && v.best.bad - v.best.good > 4) {
        struct rise_fit part;
        r.end = r.to = v.best.good + 1 + (v.best.bad - v.best.good - 1) / 2;
        r.open = true;
        rise_fit(c, &r, &part);
        if (!(part.best.cost < INFINITY))
            break;
        v = part;
    }
    return v;
}

/*
 * The last point up to `good` that is still on the level before. A point that is farther off that level than its points
 * scatter has left it, however noisy the level after is.
 */
static size_t last_on_level(const struct curve *c, const struct rise *r, size_t good, bool *ready)
{
    const struct series *s = &c->s;
    double *scratch = malloc((s->count + 1) * sizeof *scratch);

    *ready = *ready && scratch;
    if (scratch && good > r->first + 1) {
        const struct line before = line_before(c, r, good - 1);
        double sure = OUTLIER * curve_deviation(c, r->first, good, scratch);
        while (good > r->first + 1 && s->y[good] > line_at(&before, s->x[good]) + sure)
            good--;
    }
    free(scratch);
    return good;
}

/* Least cost of a step at any of the beginnings in the interval. */
static double best_step(const struct curve *c, const struct rise *r, const struct rise_fit *v)
{
    double best = INFINITY;

    for (size_t good = v->low; good <= v->high && good + 1 < r->end; good++) {
        const struct line before = line_before(c, r, good);
        struct ramp_fit k = {.good = good, .bad = good + 1};
        try_cut(c, r, &before, INFINITY, &k);
        best = fmin(best, k.cost);
    }
    return best;
}

/*
 * The first x at which a ramp may begin without being seen: its foot may be flatter than the ramp, and even a straight
 * ramp is hidden in the noise until it has risen by SURE deviations.
 */
static double first_unseen(const struct curve *c, const struct ramp_fit *ramp)
{
    const double slope = (ramp->after - ramp->before) / (ramp->end - ramp->begin);
    const double unseen = SURE * sqrt(c->s.variance[ramp->good]) / slope;

    return (floor(ramp->begin / c->step) - floor(unseen / c->step)) * c->step;
}

/*
 * The first x at which a foot of a ramp with this slope may begin, of which the points up to `good` show nothing: one
 * that rises by FOOT of the slope fits them worse than the level before does, but by less than SURE deviations.
 */
static double first_of_foot(const struct curve *c, const struct rise *r, size_t good, double slope)
{
    const struct series *s = &c->s;
    const struct line before = line_before(c, r, good);
    double hidden = s->x[good], shown = s->x[r->first];

    while (hidden - shown > c->step / 2) {
        const double begin = (hidden + shown) / 2;
        double worse = 0;
        for (size_t i = good; i > r->first && s->x[i] > begin; i--) {
            const double up = FOOT * slope * (s->x[i] - begin), y = s->y[i] - line_at(&before, s->x[i]);
            worse += up * (up - 2 * y) / fmax(s->variance[i], DBL_MIN);
        }
        *(worse > SURE * SURE ? &shown : &hidden) = begin;
    }
    return fmax(s->x[r->first], ceil(hidden / c->step - 0.5) * c->step);
}

/* Allows for a foot of the ramp *k before its interval, whose first point is `low` at most. */
static void allow_for_foot(const struct curve *c, const struct rise *r, const struct ramp_fit *ramp, size_t low,
                           struct knee *k)
{
    const double slope = (ramp->after - ramp->before) / (ramp->end - ramp->begin);

    while (low > r->first && c->s.x[low] > k->low)
        low--;
    k->unseen = fmax(k->unseen, k->low - first_of_foot(c, r, low, slope));
}

/*
 * Whether y just continues: at most STEEPER times as steep as the level before or after, or, of a ramp, as one smooth
 * curve from one width before the rise to one width behind it. (Pieces of such a curve look flat by chance.)
 */
static bool goes_on(const struct curve *c, const struct rise *r, size_t good, size_t bad, const struct knee *k,
                    bool *ready)
{
    const struct series *s = &c->s;
    double slope = line_before(c, r, good).slope, width = k->end - k->value;
    size_t first = r->first, end = r->end;

    /* where in the gap it rises, and so how steeply, is not known; a search measures there */
    if (c->searched && bad == good + 1 && s->x[bad] - s->x[good] > c->step)
        return false;
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

/*
 * Finds where single points leave the level of a clear rise, one high enough to judge single points by. Up to half of
 * its height what falls back most of the way has come back.
 */
static bool find_edge(const struct curve *c, const struct rise *r, const struct rise_fit *whole, double before,
                      double after, struct edge *e)
{
    size_t known = r->from < whole->low ? r->from : whole->low;
    double least = r->jump ? FIRST_PART_OF_JUMP * (after - before) : 0, half = before + (after - before) / 2;

    return known >= r->first && edge_find(c, r->first, known, r->end, r->slope_before, least, half, e) &&
           after - e->height > CLEAR * OUTLIER * e->deviation && e->bad <= whole->best.bad;
}

/*
 * Whether y leaves the level by a jump: higher than the change behind it, or, where points scatter there, a great part
 * of the rise to `after`. No smooth curve does so.
 */
static bool leaves_abruptly(const struct curve *c, const struct edge *e, double after)
{
    const double *y = c->s.y;

    if (e->bad + 1 >= c->s.count)
        return false;
    double jump = y[e->bad] - y[e->bad - 1], next = fabs(y[e->bad + 1] - y[e->bad]);
    return jump > CLEAR * OUTLIER * e->deviation &&
           (jump > STEEPER * next || (!c->searched && STEEPER * jump > after - e->height));
}

/*
 * Corrects the beginning of a clear rise by where single points leave the level, since behind that it may be anything
 * but a straight ramp: the knee lies before the first point that is off the level, and its interval reaches to the last
 * one that comes back. A ramp may begin earlier, hidden in the noise, unless its first point is far off.
 */
static void apply_edge(const struct curve *c, const struct edge *e, size_t first, size_t bad, struct rise_fit *begin,
                       struct knee *k)
{
    const double *x = c->s.x;
    const bool hidden = e->first < CLEAR * OUTLIER * e->deviation;

    if (k->high > x[e->good] || !hidden)
        k->high = x[e->bad];
    if (e->good < begin->best.good) {
        k->value = x[e->good];
        k->ramp = !k->fuzzy && bad > e->good + 1;
    }
    if (e->good < begin->best.good || !hidden)
        k->before = e->height;
    if (!hidden)
        begin->best.good = e->good;
    begin->best.good = e->good < begin->best.good ? e->good : begin->best.good;
    begin->low = e->low < begin->low || !hidden ? e->low : begin->low;
    if (k->value >= x[e->bad] || (!hidden && k->value < x[e->good]))
        k->value = x[e->good];
    /* Even a straight ramp to the first point that is off may have begun before the last good one, and be hidden there
     * in the noise. */
    const double noise = SURE * e->deviation, hidden_part = noise / (e->first - noise) * (x[e->good + 1] - x[e->good]);
    k->low = fmax(x[first], fmin(hidden ? fmin(k->low, k->value) : k->value, x[e->low]));
    k->unseen = fmax(0, k->low - fmax(x[first], x[e->low] - floor(hidden_part / c->step + 0.5) * c->step));
    k->end = fmax(k->end, k->high);
}

bool rise_decide(const struct curve *c, const struct rise *r, const struct rise_fit *fit, struct knee *out, bool *good)
{
    const struct series *s = &c->s;
    struct rise_fit whole, begin;

    if (fit)
        whole = *fit;
    else
        rise_fit(c, r, &whole);
    if (!(whole.best.cost < INFINITY))
        return false;
    double before = isnan(r->before) ? whole.best.before : r->before;
    double after = isnan(r->after) ? whole.best.after : r->after;
    size_t bad = whole.best.bad < s->count ? whole.best.bad : s->count - 1;
    struct edge e = {0};
    const bool edge = find_edge(c, r, &whole, before, after, &e), abrupt = edge && leaves_abruptly(c, &e, after);
    const bool not_smooth = r->not_smooth || abrupt;

    for (size_t i = e.bad; abrupt && !isnan(r->after) && i < bad; i++) /* the ramp that fits best may end later */
        if (s->y[i] >= after - SURE * sqrt(s->variance[i]))
            bad = i;
    if (r->hidden && whole.low <= r->first + 1) /* it may rise from the first point on, without a level */
        return false;
    *out = (struct knee){.low = INFINITY, .high = -INFINITY, .before = whole.best.before, .after = whole.best.after};
    begin = fit_beginning(c, *r, whole);
    bool climbs = !begin.best.jumps && begin.best.bad > begin.best.good + 1;
    if (r->hidden && climbs && begin.low <= r->first + 1) /* the same of its first part, unless that is a jump */
        return false;
    /* A rise that begins sharply and flattens later needs its knee in its first part at least. */
    if (!not_smooth && !needs_knee(c, r->first, whole.end, whole.best.cost, PARAMETER_PRICE, 0, good) &&
        (begin.end == whole.end || !needs_knee(c, r->first, begin.end, begin.best.cost, PARAMETER_PRICE, 0, good)))
        return false;
    if (find_mixture(c, r, (before + after) / 2, out)) {
        begin = whole;
    } else {
        begin.low = last_on_level(c, r, begin.low, good);
        begin.best.good = begin.best.bad > begin.best.good + 1 ? begin.best.good
                                                               : last_on_level(c, r, begin.best.good, good);
        begin.low = begin.best.good < begin.low ? begin.best.good : begin.low;
    }
    out->value = s->x[begin.best.good];
    out->low = fmin(out->low, s->x[begin.low]);
    out->high = fmax(out->high, s->x[begin.high + 1 < s->count ? begin.high + 1 : s->count - 1]);
    out->end = fmax(s->x[bad], out->high);
    out->ramp = !out->fuzzy && !begin.best.jumps && begin.best.bad > begin.best.good + 1 &&
                best_step(c, r, &begin) > whole.best.cost + PARAMETER_PRICE;
    if (out->ramp) { /* a ramp may begin between two points */
        out->value = fmax(out->low, floor(begin.best.begin / c->step) * c->step);
        out->before = begin.best.before;
        out->low = fmax(s->x[r->first], fmin(out->low, first_unseen(c, &begin.best)));
    }
    if (edge)
        apply_edge(c, &e, r->first, bad, &begin, out);
    if (out->ramp)
        allow_for_foot(c, r, &begin.best, begin.low < begin.best.good ? begin.low : begin.best.good, out);
    if (out->ramp && !not_smooth &&
        !needs_knee(c, r->first, whole.end, whole.best.cost, PARAMETER_PRICE, GRADUAL, good) &&
        (begin.end == whole.end ||
         !needs_knee(c, r->first, begin.end, begin.best.cost, PARAMETER_PRICE, GRADUAL, good)))
        return false;
    if (!abrupt && goes_on(c, r, begin.best.good, bad, out, good))
        return false;
    if (!isnan(r->after)) /* a curved rise ends later than the ramp that was fitted */
        while (bad + 1 < r->end && s->y[bad] < (before + after) / 2 + SURE * sqrt(s->variance[bad]))
            bad++;
    find_half_rise(c, begin.low, bad > begin.low ? bad : begin.low + 1, before, after, out);
    return true;
}
