/*
 * How knees are decided. What is not a single disturbed point is weighed by its noise (curve), cut into pieces of
 * straight line (lib/segment.h), and the pieces are told apart: levels, which are flat or nearly so, and ramps between
 * them. Each rise from a level to the next is then looked at again: level, straight ramp, level is fitted for every
 * point at which the ramp may begin and every one at which it may end, a step being a ramp of no length. Beginnings
 * whose sum of squares is near the best one's make the interval (profile likelihood; Bai, Perron: Estimating and
 * testing linear models with multiple structural changes, Econometrica 66, 1998, for the breaks).
 *
 * Pieces are found with a penalty that follows from how many cuts are tried and how seldom one may be false. The second
 * view (lib/plateau.h) has no part in any of this; it is only asked whether it sees the same.
 */
#include "lib/knee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/plateau.h"
#include "lib/segment.h"
#include "lib/smooth.h"
#include "lib/statistics.h"

const char *const knee_kind_names[KNEE_STAIRS + 1] = {"step", "window", "slope", "stairs"};

enum {
    POINTS_AT_LEAST = 6,
    PIECES_MAXIMUM = 40,
    SPIKE_REACH = 3, /* a running median over seven points: four of a level are enough to be one */
    SPIKE_ROUNDS = 4,
    NOISE_GROUP = 32, /* points of about one height from which their noise is told */
    NOISE_NEAR = 25,
    NOISE_STRIDE = 8,
    RISERS_AT_LEAST = 3,
    STAIRS_MAXIMUM = 512,
    LASTING_POINTS = 4,
    RISE_MARGIN = 16, /* points of either level among which a rise may begin or end */
    CANDIDATES = 96   /* places at which a rise may begin, and end, that are tried one by one */
};

/* The share of a normal sample's median absolute deviation; Rousseeuw, Croux: JASA 88 (1993). */
static const double MAD_TO_SIGMA = 1.4826;
/* Nine in ten of a normal sample are within so many deviations. */
static const double NORMAL_90 = 1.645;
/* One in four. */
static const double NORMAL_25 = 0.3186;
/* A single point that is so many deviations off the running median is not the core's doing. */
static const double SPIKE = 6;
/* What a rise that takes more than one step must gain over one that does: it has a parameter more. */
static const double RAMP_PRICE = 6;
/* What a rise among others must gain over a smooth curve: it has a parameter more. Whether there is one at all is
 * another question, and has the penalty of a cut. */
static const double KNEE_PRICE = 6;
/* What a bend with a jump must gain over one without: the last point before such a bend lies on both lines. */
static const double JUMP_PRICE = 36;
/* Cuts within this of the best sum of squares stay in the interval: a likelihood ratio of exp(-9 / 2) = 1 : 90. */
static const double WITHIN = 9;
/* The same for ramps, whose levels are told by fewer points and whose straightness is assumed. */
static const double WITHIN_RAMP = 13;
/* And for bends: five deviations, since a point on the wrong side of a bend is off by no more than the bend is steep. */
static const double WITHIN_BEND = 25;
/* Chance that a curve without a knee gains one. ln(1000) */
static const double LN_FALSE = 6.9077552789821368;
/* A level may grow so much in an octave, relative to its height. */
static const double LEVEL_SLOPE = 0.04;
/* A level that lasts does so for half an octave. */
static const double LASTING_RATIO = 1.4142;
/* A rise is at least so many deviations of a point. */
static const double RISE = 3;
/* The middle part of a rise, and what share of its width a bend may shift its middle: a rise that is an S over the
 * logarithm of x from half the capacity to twice it is shifted by 0.017 of it. */
/* Levels are known no better than this part of a rise: some of its foot or top is always among their points. */
static const double LEVEL_ERROR = 0.001;
static const double MIDDLE_FROM = 0.3, MIDDLE_TO = 0.7, BEND = 0.04;
/* A point that far above a height is above it. */
static const double SURE = 3;
/* Sum of squares for a point of a level, in variances, at most. */
static const double MIXED = 9;
/* Sum of squares for a point, in variances, up to which a ramp is a straight one. */
static const double STRAIGHT = 2;
/* Below this share of the height noise is of no concern for whether a step to twice the height is seen. */
static const double NOISY = 0.25;

/* ---- Small things ------------------------------------------------------------------------------- */

/* Natural logarithm of a positive number, by chords within each octave: low by 0.06 at most, which no penalty minds. */
static double ln_rough(double v)
{
    int exponent;
    double m = frexp(v, &exponent); /* 0.5 <= m < 1 */
    return 0.69314718055994531 * ((double)exponent - 1 + (2 * m - 1));
}

/* Octaves between two positive x, by chords: off by 0.09 at most. */
static double octaves(double from, double to)
{
    return (ln_rough(to) - ln_rough(from)) / 0.69314718055994531;
}

static double median(double *values, size_t count)
{
    sort_numbers(values, count);
    return quantile(values, count, 0.5);
}

/* ---- Noise -------------------------------------------------------------------------------------- */

/*
 * How far a point lies off the line through its neighbours, in deviations of a point: immune to levels, slopes, ramps
 * and few steps (Gasser, Sroka, Jennen-Steinmetz: Residual variance and residual pattern in nonlinear regression,
 * Biometrika 73, 1986).
 */
static double pseudo_residual(const struct series *s, size_t i)
{
    double b = (s->x[i] - s->x[i - 1]) / (s->x[i + 1] - s->x[i - 1]), a = 1 - b;
    return fabs(s->y[i] - a * s->y[i - 1] - b * s->y[i + 1]) / sqrt(1 + a * a + b * b);
}

/* Median of `reach` points on each side of a point and of itself: what y is about, whatever single points say. */
static double running_median(const struct series *s, size_t i, size_t reach)
{
    double window[2 * SPIKE_REACH + 1];

    memcpy(window, s->y + i - reach, (2 * reach + 1) * sizeof *window);
    return median(window, 2 * reach + 1);
}

/*
 * Running medians over seven points, over fewer near the ends, where a slope would shift them. What the first and the
 * last point should be is told by the three beside it, or by them and the three beside those, whichever is nearer.
 */
static void running_medians(const struct series *s, double *out)
{
    size_t n = s->count;

    for (size_t i = 0; i < n; i++) {
        size_t inside = i < n - 1 - i ? i : n - 1 - i;
        out[i] = running_median(s, i, inside < SPIKE_REACH ? inside : SPIKE_REACH);
    }
    for (int end = 0; end < 2; end++) {
        size_t i = end ? n - 1 : 0, near = end ? n - 3 : 2, far = end ? n - 5 : 4;
        double level = running_median(s, near, 1), beyond = running_median(s, far, 1);
        double line = level + (level - beyond) * (s->x[i] - s->x[near]) / (s->x[near] - s->x[far]);
        out[i] = fabs(s->y[i] - level) < fabs(s->y[i] - line) ? level : line;
    }
}

struct height {
    double y;
    double residual;
    double alone; /* how far y is off the nearer of its neighbours: not at all on either side of a step */
    size_t at;
};

static int by_height(const void *left, const void *right)
{
    const struct height *a = left, *b = right;
    return a->y < b->y || a->y > b->y ? (a->y > b->y) - (a->y < b->y) : (a->at > b->at) - (a->at < b->at);
}

/* Deviation of the points in order[first … end - 1]. */
static double deviation(const struct height *order, size_t first, size_t end, double *scratch)
{
    for (size_t k = first; k < end; k++)
        scratch[k - first] = order[k].residual;
    double d = MAD_TO_SIGMA * median(scratch, end - first);
    if (d > 0)
        return d;
    /* Where most points repeat exactly the others count still: a clock that ticks slowly does that. */
    for (size_t k = first; k < end; k++)
        scratch[k - first] = order[k].alone;
    sort_numbers(scratch, end - first);
    return quantile(scratch, end - first, 0.9) / NORMAL_90;
}

/*
 * Noise by height, since on many curves it grows with that: sigma[i] for each point. Points of about one height make a
 * group; between the middles of two groups lies the noise of what is in between. (As a group has it would be wrong: the
 * lowest points of a level may be in one with the highest of the level below.)
 */
static bool noise_by_height(const struct series *s, const double *heights, double *sigma)
{
    size_t n = s->count, inner = n - 2, groups = inner < NOISE_GROUP ? 1 : inner / NOISE_GROUP;
    struct height *order = malloc(n * sizeof *order);
    double *scratch = malloc(n * sizeof *scratch), *middles = malloc(2 * groups * sizeof *middles);
    bool good = order && scratch && middles;

    if (good) {
        double *deviations = middles + groups;
        for (size_t i = 1; i + 1 < n; i++) {
            double r = pseudo_residual(s, i), before = fabs(s->y[i] - s->y[i - 1]), after = fabs(s->y[i] - s->y[i + 1]);
            order[i - 1] = (struct height){heights[i], r, fmin(r, fmin(before, after)), i};
        }
        qsort(order, inner, sizeof *order, by_height);
        for (size_t g = 0; g < groups; g++) {
            size_t first = inner * g / groups, end = inner * (g + 1) / groups;
            middles[g] = order[(first + end) / 2].y;
            deviations[g] = deviation(order, first, end, scratch);
        }
        for (size_t k = 0, g = 0; k < inner; k++) {
            while (g + 1 < groups && order[k].y > middles[g + 1])
                g++;
            double d = deviations[g];
            if (g + 1 < groups && order[k].y > middles[g])
                d += (deviations[g + 1] - d) * (order[k].y - middles[g]) / (middles[g + 1] - middles[g]);
            sigma[order[k].at] = d;
        }
        sigma[0] = sigma[1];
        sigma[n - 1] = sigma[n - 2];
    }
    free(order);
    free(scratch);
    free(middles);
    return good;
}

/*
 * Noise of points beside each other. A level of few points shares its height's noise with other levels, and points that
 * chance to lie low share it with a quieter level below: where the neighbourhood is noisier that counts.
 */
static void noise_by_place(const struct series *s, double *sigma)
{
    double near[NOISE_NEAR];
    size_t n = s->count;

    for (size_t first = 1; first + 1 < n; first += NOISE_STRIDE) {
        size_t middle = first + NOISE_STRIDE / 2, from = middle > NOISE_NEAR / 2 + 1 ? middle - NOISE_NEAR / 2 : 1;
        if (from + NOISE_NEAR > n - 1)
            from = n > NOISE_NEAR + 2 ? n - 1 - NOISE_NEAR : 1;
        size_t used = 0;
        for (size_t i = from; i < from + NOISE_NEAR && i + 1 < n; i++)
            near[used++] = pseudo_residual(s, i);
        double d = MAD_TO_SIGMA * median(near, used);
        for (size_t i = first; i < first + NOISE_STRIDE && i + 1 < n; i++)
            sigma[i] = fmax(sigma[i], d);
    }
    sigma[0] = sigma[1];
    sigma[n - 1] = sigma[n - 2];
}

/* Takes points out that are far off the median of those around them, but for what was repeated; returns how many. */
static size_t drop_spikes(struct series *s, double *error, const double *heights, const double *sigma)
{
    size_t kept = 0, n = s->count;

    for (size_t i = 0; i < n; i++) {
        if (isnan(error[i]) && fabs(s->y[i] - heights[i]) > SPIKE * sigma[i])
            continue;
        s->x[kept] = s->x[i];
        s->y[kept] = s->y[i];
        error[kept++] = error[i];
    }
    s->count = kept;
    return n - kept;
}

/* The curve, made ready: what was measured, without spikes, each point with its variance. */
struct curve {
    struct series s;
    double *error;
    double step;
    double sigma; /* of a typical point */
    double penalty;
};

/*
 * A point scatters as its repetitions do, and besides as far as its place in memory, its alignment and the like differ
 * from its neighbours': the part of the neighbours' scatter that repetitions don't explain is added.
 */
static bool weigh(struct curve *c)
{
    struct series *s = &c->s;
    size_t n = s->count;
    double *sigma = malloc(n * sizeof *sigma), *scratch = malloc(n * sizeof *scratch), low = INFINITY, high = -INFINITY;
    bool good = sigma && scratch;

    for (unsigned round = 0; good && round < SPIKE_ROUNDS && s->count >= POINTS_AT_LEAST; round++) {
        running_medians(s, scratch);
        good = noise_by_height(s, scratch, sigma);
        if (good && drop_spikes(s, c->error, scratch, sigma) == 0)
            break;
    }
    n = s->count;
    if (good && n >= POINTS_AT_LEAST) {
        running_medians(s, scratch);
        good = noise_by_height(s, scratch, sigma);
        noise_by_place(s, sigma);
        size_t known = 0;
        for (size_t i = 0; i < n; i++) {
            low = fmin(low, s->y[i]);
            high = fmax(high, s->y[i]);
            if (!isnan(c->error[i]))
                scratch[known++] = c->error[i];
        }
        double typical = known ? median(scratch, known) : 0;
        /* Nothing is more exact than numbers of so many digits. */
        double least = 1e-7 * (high - low) + 1e-12 * fmax(fabs(high), fabs(low));
        for (size_t i = 0; i < n; i++) {
            double e = isnan(c->error[i]) ? 0 : c->error[i], layout = sigma[i] * sigma[i] - typical * typical;
            double v = fmax(fmax(layout, 0) + e * e, sigma[i] * sigma[i] / 16);
            s->variance[i] = fmax(v, least * least);
            if (!(s->variance[i] > 0))
                s->variance[i] = 1;
        }
        for (size_t i = 0; i < n; i++)
            scratch[i] = s->variance[i];
        c->sigma = sqrt(median(scratch, n));
        if (c->sigma <= 2 * least)
            c->sigma = 0;
        c->penalty = 2 * (ln_rough((double)n) + LN_FALSE);
        series_sum(s);
    }
    free(sigma);
    free(scratch);
    return good;
}

static bool load(const struct knee_point *points, size_t count, double step, struct curve *c)
{
    size_t n = 0;

    *c = (struct curve){.step = INFINITY};
    if (!series_make(&c->s, count) || !(c->error = malloc((count + 1) * sizeof *c->error))) {
        series_free(&c->s);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            c->step = fmin(c->step, points[i].x - points[i - 1].x);
        if (isnan(points[i].y))
            continue;
        c->s.x[n] = points[i].x;
        c->s.y[n] = points[i].y;
        c->error[n++] = points[i].error;
    }
    if (step > 0)
        c->step = step;
    c->s.count = n;
    return n < POINTS_AT_LEAST || weigh(c);
}

/* ---- One rise ----------------------------------------------------------------------------------- */

/* A stretch of the curve in which y rises from one level to the next, or to the end. */
struct rise {
    size_t first, end; /* points of both levels and what is between: first … end - 1 */
    size_t from, to;   /* the rise begins at or after point `from` and has ended at or before `to`; to <= end */
    bool slope_before, slope_after;
    bool open;            /* it has not ended at point end - 1 */
    bool hidden;          /* there may be no level before it */
    bool window;          /* it is known that no smooth curve explains it */
    double before, after; /* heights of the levels; NaN: as the fitted ramp has them */
};

/* A way to see it: point `good` is the last one before it, point `bad` the first one after it. */
struct cut {
    size_t good, bad;
    double cost;
    double p, q; /* the ramp between begins and ends at these x */
    double before, after;
};

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
    return best + RAMP_PRICE;
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

/* The ways to see a rise: the best one, and the range of beginnings whose best sum of squares is near it. */
struct view {
    struct cut top;
    size_t low, high; /* last good points, the first one and the last one that may be it */
    size_t end;       /* points up to this one were looked at */
    double excess; /* sum of squares for a point of the ramp, in variances: much above 1 where it is no straight one */
};

static double excess_of(const struct series *s, const struct cut *k)
{
    size_t inside = k->bad - k->good - 1;

    if (inside < 3)
        return 1;
    double cost = series_cost(s, k->good + 1, k->bad, k->p, k->before, (k->after - k->before) / (k->q - k->p));
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

static void view_rise(const struct curve *c, const struct rise *r, struct view *v)
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
 * Points that stand alone: further from what is about them than noise is, and from both neighbours to the same side. No
 * structure shows in a single point.
 */
static void find_isolated(const struct series *s, size_t first, size_t end, const double *heights, bool *isolated)
{
    for (size_t i = first; i < end; i++) {
        double far = SPIKE * sqrt(s->variance[i]), off = s->y[i] - heights[i];
        double before = i > first ? s->y[i] - s->y[i - 1] : off, after = i + 1 < end ? s->y[i] - s->y[i + 1] : off;
        isolated[i] = fmin(off, fmin(before, after)) > far || fmax(off, fmax(before, after)) < -far;
    }
}

/* What two lines cost of which the second one begins lower than the first one ends, where they explain the points best. */
static double drop_cost(const struct series *s, size_t first, size_t end)
{
    double best = INFINITY;

    for (size_t at = first + 2; at + 2 <= end; at++) {
        struct line before = series_line(s, first, at, true), after = series_line(s, at, end, true);
        if (line_at(&after, s->x[at]) < line_at(&before, s->x[at]) - RISE * sqrt(s->variance[at]))
            best = fmin(best, before.cost + after.cost);
    }
    return best;
}

/* What a curve without a knee may have, besides being smooth. */
enum { LONE_POINTS = 1, DROPS = 2 };

/*
 * Whether points first … end - 1 have to have the knee that costs so much: whether what has none explains them worse, by
 * so much at least. Points that stand alone, where they may be, are held against the knee only.
 */
static bool needs_knee(const struct curve *c, size_t first, size_t end, double cost, double gain, unsigned without,
                       bool *good)
{
    const struct series *s = &c->s;
    double *heights = malloc(s->count * sizeof *heights), otherwise = INFINITY;
    bool *isolated = malloc(s->count * sizeof *isolated);
    struct series rest;

    *good = heights && isolated && series_make(&rest, end - first);
    if (*good) {
        size_t n = 0;
        running_medians(s, heights);
        find_isolated(s, first, end, heights, isolated);
        if (!(without & LONE_POINTS))
            memset(isolated, 0, s->count * sizeof *isolated);
        for (size_t i = first; i < end; i++)
            if (!isolated[i]) {
                rest.x[n] = s->x[i];
                rest.y[n] = s->y[i];
                rest.variance[n++] = s->variance[i];
            }
        rest.count = n;
        series_sum(&rest);
        double alone = SPIKE * (double)(end - first - n);
        otherwise = alone + fmin(smooth_cost(&rest, 0, n), without & DROPS ? drop_cost(&rest, 0, n) : INFINITY);
        series_free(&rest);
    }
    free(heights);
    free(isolated);
    return otherwise - cost > gain * fmax(1, cost / (double)(end - first));
}

/* Fills in a knee. False where no cut of the points rises. */
static bool decide_rise(const struct curve *c, const struct rise *r, struct knee *out, bool *good)
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
    /* A rise that begins sharply and bends over later shows its knee in its first part. */
    if (!r->window && !needs_knee(c, r->first, whole.end, whole.top.cost, KNEE_PRICE, 0, good) &&
        (begin.end == whole.end || !needs_knee(c, r->first, begin.end, begin.top.cost, KNEE_PRICE, 0, good)))
        return false;
    if (find_mixture(c, r, (before + after) / 2, out))
        begin = whole;
    out->value = s->x[begin.top.good];
    out->low = fmin(out->low, s->x[begin.low]);
    out->high = fmax(out->high, s->x[begin.high + 1 < s->count ? begin.high + 1 : s->count - 1]);
    out->end = fmax(s->x[bad], out->high);
    out->ramp = !out->fuzzy && begin.top.bad > begin.top.good + 1 &&
                best_step(c, r, &begin) > whole.top.cost + RAMP_PRICE;
    if (out->ramp) { /* it may begin between two points */
        out->value = fmax(out->low, floor(begin.top.p / c->step) * c->step);
        out->before = begin.top.before;
    }
    if (!isnan(r->after)) /* a fitted ramp may end before a bent one does */
        while (bad + 1 < r->end && s->y[bad] < (before + after) / 2 + SURE * sqrt(s->variance[bad]))
            bad++;
    find_half(c, begin.low, bad > begin.low ? bad : begin.low + 1, before, after, out);
    return true;
}

/* ---- Steps and windows -------------------------------------------------------------------------- */

/* Levels among pieces: what is flat, or nearly so. */
struct level_piece {
    size_t first, end;
    double from, to;                /* heights at its first and its last point */
    double error;                   /* standard error of these */
    double height;                  /* of its longest piece */
    size_t longest;                 /* points of that */
    size_t last_piece, first_piece; /* where its last piece begins, where its first one ends */
    bool last_sloped, first_sloped;
    bool hidden; /* in what rises from the first point on, if it is there at all */
};

/* Whether a piece joins two flat ones of different height without a jump: a ramp, however gentle. */
static bool joins(const struct curve *c, const struct piece *p, const struct piece *before, const struct piece *after)
{
    const struct series *s = &c->s;
    double a = before->line.at, b = after->line.at, noise = RISE * sqrt(s->variance[p->first]);

    return p->sloped && !before->sloped && !after->sloped && fabs(b - a) > noise &&
           fabs(line_at(&p->line, s->x[p->first]) - a) < noise && fabs(line_at(&p->line, s->x[p->end - 1]) - b) < noise;
}

/* By how much the line of a piece is off that of the one before, where that ends: a ramp begins there, and is not. */
static double apart(const struct curve *c, const struct piece *before, const struct piece *p)
{
    double x = c->s.x[before->end - 1];
    return fabs(line_at(&p->line, x) - line_at(&before->line, x));
}

/*
 * Whether a piece is two levels in turn: its points are far from its line, more of them than can be single ones, and as
 * far from each other. (A bend has points far from its line too, but none far from its neighbours. The ratio is von
 * Neumann's: Annals of Mathematical Statistics 12, 1941.)
 */
static bool is_mixture(const struct curve *c, const struct piece *p)
{
    const struct series *s = &c->s;
    double differences = 0;

    for (size_t i = p->first + 1; i < p->end; i++)
        differences += (s->y[i] - s->y[i - 1]) * (s->y[i] - s->y[i - 1]) / s->variance[i];
    return p->line.cost > MIXED * (double)(p->end - p->first) && differences > p->line.cost;
}

/* A piece is flat, or slopes a little, or much less than it is apart from the one before: from the one after, if first. */
static bool is_level(const struct curve *c, const struct piece *p, bool first, bool last)
{
    if (is_mixture(c, p))
        return false;
    double x0 = c->s.x[p->first], x1 = c->s.x[p->end - 1], y0 = line_at(&p->line, x0), y1 = line_at(&p->line, x1);

    if (!p->sloped)
        return p->end - p->first >= 2;
    double from = fmax(x0, c->step), to = fmax(x1, from), noise = RISE * sqrt(c->s.variance[p->first]);
    double off = first ? (last ? 0 : apart(c, p, p + 1)) : apart(c, p - 1, p);
    bool follows = first || line_at(&p->line, c->s.x[p[-1].end - 1]) > line_at(&p[-1].line, c->s.x[p[-1].end - 1]);
    if (follows && off > noise && off > 2 * fabs(y1 - y0))
        return true;
    return fabs(y1 - y0) <= LEVEL_SLOPE * octaves(from, to) * fmax(fabs(y0), fabs(y1));
}

/* Whether a piece is short beside two rises that it joins without a jump: a ramp that is not quite straight. */
static bool part_of_ramp(const struct curve *c, const struct piece *p)
{
    const struct series *s = &c->s;
    const struct piece *before = p - 1, *after = p + 1;
    double noise = RISE * sqrt(s->variance[p->first]);
    double length = s->x[p->end - 1] - s->x[p->first];
    double shorter = fmin(s->x[before->end - 1] - s->x[before->first], s->x[after->end - 1] - s->x[after->first]);
    double from = line_at(&p->line, s->x[p->first]) - line_at(&before->line, s->x[p->first]);
    double to = line_at(&after->line, s->x[after->first]) - line_at(&p->line, s->x[p->end - 1]);

    return before->sloped && after->sloped && before->line.slope > 0 && after->line.slope > 0 && length < shorter / 4 &&
           fabs(from) < noise && fabs(to) < noise;
}

static void decide_levels(const struct curve *c, const struct knee *knees, size_t count, struct verdict *out,
                          double *scratch)
{
    const struct series *s = &c->s;

    out->level_count = count + 1;
    for (size_t i = 0; i <= count; i++) {
        double from = i ? knees[i - 1].end : s->x[0], to = i < count ? knees[i].value : s->x[s->count - 1];
        size_t first = 0, end, n = 0;
        while (first + 1 < s->count && s->x[first] < from)
            first++;
        for (end = first + 1; end < s->count && s->x[end] <= to; end++)
            ;
        struct line l = series_line(s, first, end, end - first > 3);
        for (size_t k = first; k < end; k++)
            scratch[n++] = s->y[k];
        double height = median(scratch, n);
        n = 0;
        for (size_t k = first; k < end; k++)
            scratch[n++] = fabs(s->y[k] - line_at(&l, s->x[k]));
        double spread = n > 2 ? MAD_TO_SIGMA * median(scratch, n) : c->sigma;
        double y0 = line_at(&l, s->x[first]), growth = line_at(&l, s->x[end - 1]) - y0;
        double sure = c->sigma * 3 / sqrt((double)(end - first));
        out->levels[i] = (struct knee_level){.from = s->x[first],
                                             .to = s->x[end - 1],
                                             .height = height,
                                             .spread = height > 0 || height < 0 ? spread / fabs(height) : 0,
                                             .slope = fabs(growth) > sure && (y0 > 0 || y0 < 0) ? growth / fabs(y0)
                                                                                                : 0};
    }
}

static bool agree(const struct curve *c, struct knee *knees, size_t count)
{
    const struct series *s = &c->s;
    struct departure seen[2 * KNEES_MAXIMUM];
    size_t found = plateau_departures(s->x, s->y, s->count, seen, sizeof seen / sizeof seen[0]);

    if (found == (size_t)-1)
        return false;
    for (size_t i = 0; i < count; i++) {
        /* a neighbour of the interval's ends at most away, and for a ramp a tenth of its width */
        double margin = (knees[i].ramp ? (knees[i].end - knees[i].value) / 10 : 0);
        size_t low = 0, high = s->count - 1;
        while (low + 1 < s->count && s->x[low + 1] < knees[i].low)
            low++;
        while (high > 0 && s->x[high - 1] > knees[i].high)
            high--;
        size_t first = found, inside = 0; /* rises that share some of this one */
        for (size_t k = 0; k < found; k++) {
            knees[i].agreed = knees[i].agreed ||
                              (seen[k].low >= s->x[low] - margin && seen[k].high <= s->x[high] + margin);
            if (seen[k].high >= knees[i].low && seen[k].low < knees[i].end) {
                first = inside ? first : k;
                inside++;
            }
        }
        double half = inside ? plateau_half(s->x, s->y, &seen[first], inside) : (double)NAN;
        double half_margin = (knees[i].end - knees[i].value) / 20 + c->step;
        knees[i].half_agreed = half >= knees[i].half_low - half_margin && half <= knees[i].half_high + half_margin;
    }
    return true;
}

/*
 * Levels among the pieces; pieces that follow each other at one height are one level. Two ends are special. Where the
 * curve rises from its first piece on, a short level may be hidden in that: whether there is one is for the rise to
 * tell. Where it rises up to its last piece its last point stands for what comes after. Returns how many there are.
 */
static size_t find_levels(const struct curve *c, const struct piece *pieces, size_t count, struct level_piece *levels,
                          bool *monotone)
{
    const struct series *s = &c->s;
    bool level = false; /* the piece before is one */
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        const struct piece *p = &pieces[i];
        double from = line_at(&p->line, s->x[p->first]), to = line_at(&p->line, s->x[p->end - 1]);
        double noise = RISE * sqrt(s->variance[p->first]), error = noise / RISE / sqrt((double)(p->end - p->first));
        double jump = i > 0 ? fabs(from - line_at(&p[-1].line, s->x[p->first - 1])) : INFINITY;
        bool gentle = is_level(c, p, i == 0, i + 1 == count) && !(i > 0 && i + 1 < count && joins(c, p, p - 1, p + 1));
        /* What slopes, and begins where the piece before ends, is a bend of that and no level of its own. */
        bool bend = gentle && p->sloped && i > 0 && jump < fmax(noise, fabs(to - from));
        level = gentle && !(bend && !level && p->end - p->first < p[-1].end - p[-1].first) &&
                !(i > 0 && i + 1 < count && part_of_ramp(c, p));
        if (!gentle && to < from)
            *monotone = false;
        struct level_piece l = {p->first,          p->end,   from,   to,        error,     (from + to) / 2,
                                p->end - p->first, p->first, p->end, p->sloped, p->sloped, false};
        bool first = i == 0 && count > 1 && to > from, last = i + 1 == count && n > 0 && to > from;
        if (!level && first) {
            l.hidden = true;
            l.end = l.first_piece = p->first + 1;
            l.to = from;
            l.height = (double)NAN;
            l.first_sloped = l.last_sloped = false;
        } else if (!level && last) {
            l.first = l.last_piece = p->end - 1;
            l.from = l.height = to;
            l.first_sloped = l.last_sloped = false;
        } else if (!level) {
            continue;
        }
        struct level_piece *before = n > 0 ? &levels[n - 1] : NULL;
        bool same = before && !before->hidden &&
                    fabs(l.from - before->to) <= sqrt(noise * noise / 2 + error * error * RISE * RISE / 2);
        if (!same && !(bend && before && before->end == p->first)) {
            levels[n++] = l;
            continue;
        }
        /* What is left of a rise may look like a short piece of its own: the height is that of the longest one. */
        if (l.longest > before->longest) {
            before->height = l.height;
            before->longest = l.longest;
        }
        before->end = l.end;
        before->to = l.to;
        before->last_piece = l.last_piece;
        before->last_sloped = l.last_sloped;
    }
    return n;
}

/* A level that lasts has been reached, also when y comes back later. */
static bool lasts(const struct series *s, const struct level_piece *l)
{
    double from = fmax(s->x[l->first], s->x[l->first + 1] - s->x[l->first]);
    return l->end - l->first >= LASTING_POINTS && s->x[l->end - 1] >= LASTING_RATIO * from;
}

/*
 * Rises between levels, from the last one back. One counts where all that follows stays higher, or
 * the level that is reached lasts. Of more than there is
 * room for the first ones are kept. Returns how many there are, descending.
 */
static size_t find_rises(const struct curve *c, const struct level_piece *levels, size_t n, struct rise *rises,
                         bool *monotone)
{
    const struct series *s = &c->s;
    double beyond = INFINITY;
    size_t found = 0;

    for (size_t i = n; i-- > 0;) {
        const struct level_piece *l = &levels[i], *next = &levels[i + 1];
        double tolerance = RISE * l->error + RISE * sqrt(s->variance[l->first]) / 2;
        bool counts = l->to + tolerance < beyond || (i + 1 < n && next->from > l->to + tolerance && lasts(s, next));
        beyond = fmin(beyond, l->to);
        if (i + 1 == n)
            continue;
        bool open = next->first + 1 == s->count;
        if (next->from < l->to)
            *monotone = false;
        if (!counts || !(next->from > l->to) || (l->hidden && open))
            continue;
        if (found == KNEES_MAXIMUM) {
            memmove(&rises[0], &rises[1], (found - 1) * sizeof rises[0]);
            found--;
        }
        size_t margin = RISE_MARGIN + (next->first - l->end), first = l->last_piece, end = next->first_piece;
        size_t least = l->end - first > 2 ? 1 : 0; /* a level has two points */
        struct rise r = {.first = first, .end = end, .from = first + least, .to = end - 1, .hidden = l->hidden};
        if (l->end > first + margin + least)
            r.from = l->end - margin;
        if (open)
            r.to = s->count;
        else if (next->first + margin + 1 < end)
            r.to = next->first + margin;
        r.slope_before = l->last_sloped;
        r.slope_after = next->first_sloped;
        r.before = l->height;
        r.after = next->height;
        rises[found++] = r;
    }
    return found;
}

/* Adds a rise to the knees. */
static bool tell_rise(const struct curve *c, const struct rise *r, struct verdict *out, bool *good)
{
    struct knee *k = &out->knees[out->count];

    /* two rises that begin at one point are one */
    if (!decide_rise(c, r, k, good) || (out->count > 0 && !(k->value > k[-1].value)))
        return false;
    out->count++;
    return true;
}

static bool decide_steps(const struct curve *c, struct verdict *out)
{
    const struct series *s = &c->s;
    struct piece *pieces = malloc(PIECES_MAXIMUM * sizeof *pieces);
    struct level_piece *levels = malloc((PIECES_MAXIMUM + 1) * sizeof *levels);
    double *scratch = malloc((s->count + 1) * sizeof *scratch);
    struct rise rises[KNEES_MAXIMUM];
    size_t count = 0;
    bool good = pieces && levels && scratch;

    if (good)
        count = series_cut(s, 0, s->count, c->penalty, c->penalty / 2, 2, pieces, PIECES_MAXIMUM);
    good = good && count > 0;
    out->monotone = true;
    if (good) {
        size_t n = find_levels(c, pieces, count, levels, &out->monotone);
        struct rise last = {0};
        bool told = false;
        for (size_t i = find_rises(c, levels, n, rises, &out->monotone); i-- > 0;) {
            /* What is no rise of its own belongs to the one beside it. */
            struct rise r = rises[i], both = last;
            both.end = r.end;
            both.to = r.to;
            both.open = r.open;
            both.slope_after = r.slope_after;
            both.after = r.after;
            bool beside = last.end > r.first;
            if (!told && beside && tell_rise(c, &both, out, &good)) {
                last = both;
                told = true;
                continue;
            }
            bool before = told;
            told = tell_rise(c, &r, out, &good);
            if (!told && before && beside) {
                struct knee kept = out->knees[--out->count];
                told = tell_rise(c, &both, out, &good);
                if (!told)
                    out->knees[out->count++] = kept;
                else
                    r = both;
            }
            last = r;
        }
    }
    good = good && agree(c, out->knees, out->count);
    if (good)
        decide_levels(c, out->knees, out->count, out, scratch);
    if (good && out->count == 0)
        out->reason = c->sigma > NOISY * fabs(out->levels[0].height) ? "noise" : "no-knee";
    free(pieces);
    free(levels);
    free(scratch);
    return good;
}

/* A window is all there is to a curve when it leaves no more of what a single line does. */
static const double UNEXPLAINED = 0.02;

/* A jump between two pieces, or over a third one between them that may be a ramp. */
struct jump {
    size_t before, after; /* pieces */
    double height;        /* of the one after, where it begins, above the line of the one before */
};

static struct jump jump_between(const struct series *s, const struct piece *pieces, size_t before, size_t after)
{
    const struct piece *p = &pieces[before], *q = &pieces[after];
    double x = s->x[q->first];
    /* a piece of few points says little about where its line leads */
    double ends = line_at(&p->line, s->x[p->end - 1]), leads = p->end - p->first > 3 ? line_at(&p->line, x) : ends;
    struct jump j = {before, after, line_at(&q->line, x) - fmax(leads, ends)};
    if (after > before + 1) { /* what is between has to make most of the rise, or it is a level */
        const struct piece *ramp = &pieces[before + 1];
        double from = line_at(&ramp->line, s->x[ramp->first]), to = line_at(&ramp->line, s->x[ramp->end - 1]);
        if (to - from < j.height / 2)
            j.height = 0;
    }
    return j;
}

/*
 * The greatest jump among the pieces; false where another one elsewhere is half as high or more. On real cores the
 * levels of a window bend and step a little: what is sought is the rise that is beyond comparison.
 */
static bool greatest_jump(const struct series *s, const struct piece *pieces, size_t count, struct jump *best)
{
    double other = 0;

    *best = (struct jump){.height = 0};
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && k <= i + 2; k++) {
            struct jump j = jump_between(s, pieces, i, k);
            if (j.height > best->height)
                *best = j;
        }
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && k <= i + 2; k++)
            if (k <= best->before || i >= best->after)
                other = fmax(other, jump_between(s, pieces, i, k).height);
    return best->height > 2 * other;
}

/*
 * Two levels, which may slope, and one rise between them: every beginning and every end of it is tried. It has to be
 * better than one line through everything. Where that is not all there is to the curve, the pieces on either side of
 * its one great jump are tried instead.
 */
static bool decide_window(const struct curve *c, struct verdict *out)
{
    const struct series *s = &c->s;
    struct rise r = {.end = s->count,
                     .from = 1,
                     .to = s->count,
                     .slope_before = true,
                     .slope_after = true,
                     .window = true,
                     .before = (double)NAN,
                     .after = (double)NAN};
    struct piece *pieces = malloc(PIECES_MAXIMUM * sizeof *pieces);
    double *scratch = malloc((s->count + 1) * sizeof *scratch);
    struct jump jump = {0};
    struct view v;
    size_t count = 0;
    bool good = pieces && scratch;

    if (good)
        count = series_cut(s, 0, s->count, c->penalty, c->penalty / 2, 2, pieces, PIECES_MAXIMUM);
    good = good && count > 0;
    out->monotone = true;
    out->reason = "no-knee";
    for (size_t i = 0; i < count; i++) {
        double noise = RISE * sqrt(s->variance[pieces[i].first]), x = s->x[pieces[i].first];
        double from = line_at(&pieces[i].line, x), to = line_at(&pieces[i].line, s->x[pieces[i].end - 1]);
        double end = i > 0 ? line_at(&pieces[i - 1].line, s->x[pieces[i].first - 1]) : from;
        out->monotone = out->monotone && from >= end - noise && to >= from - noise;
    }
    if (good) {
        view_rise(c, &r, &v);
        double line = series_line(s, 0, s->count, true).cost;
        bool knee = line - v.top.cost > c->penalty + RAMP_PRICE;
        bool all = v.top.cost <= fmax(STRAIGHT * (double)s->count, line * UNEXPLAINED);
        if (knee && !all && count > 2) {
            knee = greatest_jump(s, pieces, count, &jump);
            out->reason = knee ? "no-knee" : "ambiguous";
            const struct piece *p = &pieces[jump.before], *q = &pieces[jump.after];
            size_t margin = RISE_MARGIN + (q->first - p->end);
            r.first = p->first;
            r.end = q->end;
            r.from = p->end > p->first + margin + 1 ? p->end - margin : p->first + 1;
            r.to = q->first + margin < q->end ? q->first + margin : q->end;
        }
        if (knee) {
            view_rise(c, &r, &v);
            knee = needs_knee(c, r.first, r.end, v.top.cost, c->penalty, LONE_POINTS | DROPS, &good);
        }
        out->count = knee && decide_rise(c, &r, &out->knees[0], &good);
        good = good && agree(c, out->knees, out->count);
    }
    if (good)
        decide_levels(c, out->knees, out->count, out, scratch);
    if (good && out->count > 0)
        out->reason = NULL;
    else if (good && c->sigma > NOISY * fabs(out->levels[0].height))
        out->reason = "noise";
    free(pieces);
    free(scratch);
    return good;
}

/* ---- Lines that are left ------------------------------------------------------------------------ */

/* The line before ends at point `good`: the rest is a steeper line, from there on or after a jump. */
static void fit_bend(const struct curve *c, size_t good, size_t end, struct line *before, struct line *after)
{
    const struct series *s = &c->s;
    double best = INFINITY;

    *before = series_line(s, 0, good + 1, true);
    for (int late = 0; late < 2; late++) { /* the bend is at point `good`, or one step before the next one */
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

/* How much more than their variance the points on either side of a bend scatter about their lines. */
struct scatter {
    double before, after;
};

static double bend_cost(const struct curve *c, size_t good, size_t end, const struct scatter *e)
{
    struct line before, after;

    fit_bend(c, good, end, &before, &after);
    return before.cost / e->before + after.cost / e->after + (double)(good + 1) * ln_rough(e->before) +
           (double)(end - good - 1) * ln_rough(e->after);
}

/* Costs of all bends, and which is best. */
static size_t best_bend(const struct curve *c, size_t end, const struct scatter *e, double *costs)
{
    size_t best = 2;

    costs[best] = INFINITY;
    for (size_t i = 2; i + 2 < end; i++) {
        costs[i] = bend_cost(c, i, end, e);
        if (costs[i] < costs[best])
            best = i;
    }
    return best;
}

/* The second view: the line of Theil (1950) and Sen (1968) through points first … last - 1, of pairs half of them apart. */
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

/* Whether a median line through the points up to some x within the interval is left there for good. */
static bool line_left_at(const struct series *s, size_t low, size_t high, double *scratch)
{
    double at, slope;

    median_line(s, low + 1, scratch, &at, &slope);
    for (size_t i = 0; i <= low; i++)
        scratch[i] = fabs(s->y[i] - at - slope * s->x[i]);
    double scatter = 3 * MAD_TO_SIGMA * median(scratch, low + 1);
    size_t over = 0, rest = s->count - high, under = 0;
    for (size_t i = high; i < s->count; i++)
        over += s->y[i] > at + slope * s->x[i] + scatter;
    for (size_t i = 0; i <= low; i++)
        under += !(s->y[i] > at + slope * s->x[i] + scatter);
    return 10 * over >= 8 * rest && 10 * under >= 9 * (low + 1);
}

/*
 * Where a line is left that long: the points up to where the piece after that ends; 0 where none is. Among the places
 * after which all pieces lie above the line of what is before, that at which the next one lies highest, as seen from how
 * far the points before it scatter.
 */
static size_t leave_line(const struct series *s, const struct piece *pieces, size_t count)
{
    double most = 0, weight = 0;
    size_t end = 0;

    for (size_t i = 0; i + 1 < count; i++) {
        const struct line before = series_line(s, 0, pieces[i].end, true);
        bool above = true;
        for (size_t k = pieces[i].first; k < pieces[i].end; k++)
            weight += 1 / s->variance[k];
        for (size_t k = i + 1; k < count; k++) {
            size_t last = pieces[k].end - 1, middle = (pieces[k].first + last) / 2;
            double noise = RISE * sqrt(s->variance[last]);
            above = above && line_at(&pieces[k].line, s->x[last]) > line_at(&before, s->x[last]) + noise &&
                    line_at(&pieces[k].line, s->x[middle]) > line_at(&before, s->x[middle]);
        }
        const struct piece *next = &pieces[i + 1];
        double x = s->x[(next->first + next->end - 1) / 2], points = (double)pieces[i].end;
        double scatter = sqrt((before.cost + points) / weight); /* no less than the noise */
        double height = (line_at(&next->line, x) - line_at(&before, x)) / scatter;
        if (above && height > most) {
            most = height;
            end = next->end;
        }
    }
    return end;
}

static bool decide_slope(const struct curve *c, struct verdict *out)
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
    out->reason = "not-left";
    if (good)
        end = leave_line(s, pieces, count);
    if (good && end > 0) {
        struct line before, after;
        struct scatter e = {1, 1};
        size_t best = best_bend(c, end, &e, costs), low, high;
        bool knee = series_line(s, 0, end, true).cost - costs[best] > c->penalty &&
                    needs_knee(c, 0, end, costs[best], c->penalty, LONE_POINTS, &good);
        /* Past their depth stacks are not as regular as before: each side is as noisy as it is. */
        fit_bend(c, best, end, &before, &after);
        e.before = fmax(1, before.cost / (double)best);
        e.after = fmax(1, after.cost / (double)(end - best - 2));
        best = best_bend(c, end, &e, costs);
        for (low = best; low > 2 && costs[low - 1] <= costs[best] + (low == best ? WITHIN_BEND : WITHIN_RAMP); low--)
            ;
        for (high = best; high + 3 < end && costs[high + 1] <= costs[best] + (high == best ? WITHIN_BEND : WITHIN_RAMP);
             high++)
            ;
        if (knee) {
            fit_bend(c, best, end, &before, &after);
            double x = s->x[best], next = s->x[high + 1];
            out->knees[0] = (struct knee){.value = x,
                                          .low = s->x[low],
                                          .high = next,
                                          .before = line_at(&before, x),
                                          .after = line_at(&after, s->x[end - 1]),
                                          .end = s->x[end - 1],
                                          .half = x,
                                          .half_low = s->x[low],
                                          .half_high = next,
                                          .ramp = true,
                                          .agreed = line_left_at(s, low, high + 1, scratch)};
            out->knees[0].half_agreed = out->knees[0].agreed;
            out->count = 1;
            out->reason = NULL;
        }
    }
    if (good)
        decide_levels(c, out->knees, out->count, out, scratch);
    free(pieces);
    free(costs);
    free(scratch);
    return good;
}

/* ---- Staircases --------------------------------------------------------------------------------- */

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

/*
 * y = b + r floor((x - o) / w). Each riser is between two points; from the first one to the last are a whole number of
 * widths, so that many risers tell the width better than one does.
 */
static bool decide_stairs(struct curve *c, struct verdict *out)
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

/* ---- The decision ------------------------------------------------------------------------------- */

bool knee_decide(enum knee_kind kind, const struct knee_point *points, size_t count, double step, struct verdict *out)
{
    struct curve c;
    bool good = true;

    *out = (struct verdict){.reason = NULL};
    if (!load(points, count, step, &c))
        return false;
    out->sigma = c.sigma;
    if (c.s.count < POINTS_AT_LEAST)
        out->reason = "too-few-points";
    else if (kind == KNEE_STEP)
        good = decide_steps(&c, out);
    else if (kind == KNEE_WINDOW)
        good = decide_window(&c, out);
    else if (kind == KNEE_SLOPE)
        good = decide_slope(&c, out);
    else
        good = decide_stairs(&c, out);
    series_free(&c.s);
    free(c.error);
    return good;
}
