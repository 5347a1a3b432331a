#include "lib/knee/smooth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/statistics.h"
#include "lib/knee/tolerances.h"

/* The noise is estimated anew at every so many points. */
enum { DEVIATION_STRIDE = 8 };
/* Times that bursts are looked for: each makes the curve through the others straighter. */
enum { BURST_ROUNDS = 6 };

/* Smooth curves a + b f(x) + c g(x). */
enum shape { PARABOLA, PARABOLA_OF_INDEX, PARABOLA_OF_LOGARITHM, HYPERBOLA, ROOT, SHAPES };

/* Deviation of the median of five values of one pass, over that of points that are medians of several passes: a
 * median of five has a little more than half the deviation of one value (Teichroew: Tables of expected values of
 * order statistics, Annals of Mathematical Statistics 27, 1956). */
static const double SCATTER_OF_MEDIANS = 0.75;

/* The natural logarithm of 2. no test: it is exact. */
static const double LN_2 = 0.69314718055994531;

/* Natural logarithm of a positive number by the series of the inverse hyperbolic tangent (Abramowitz, Stegun: Handbook
 * of mathematical functions, 4.1.27), the same in every build; good to 1e-10. */
static double ln(double v)
{
    int exponent;
    double m = frexp(v, &exponent), sum = 0; /* 0.5 <= m < 1 */
    double t = (m * 1.4142135623730951 - 1) / (m * 1.4142135623730951 + 1), power = t;

    for (int k = 1; k <= 11; k += 2) {
        sum += power / k;
        power *= t * t;
    }
    return 2 * sum + ((double)exponent - 0.5) * LN_2;
}

/* f and g of a shape at point i. */
static void functions(const struct series *s, enum shape shape, size_t first, size_t i, double *f, double *g)
{
    double x = s->x[i], unit = s->x_unit;

    if (shape == PARABOLA_OF_INDEX)
        x = (double)(i - first);
    if (shape == PARABOLA_OF_LOGARITHM)
        x = ln(x);
    *f = shape == HYPERBOLA ? unit / x : shape == ROOT ? sqrt(x / unit) : x;
    *g = shape == HYPERBOLA || shape == ROOT ? x / unit : x * x;
}

/*
 * Sum of squares about the best curve of a shape, by orthogonal functions: 1, f without its mean, and g without its
 * parts along these. off[i - first], where `off` is not NULL, becomes the distance of point i from the curve.
 */
static double shape_cost(const struct series *s, enum shape shape, size_t first, size_t end, double *off)
{
    double w = 0, f1 = 0, g1 = 0, y1 = 0, ff = 0, fg = 0, fy = 0, gg = 0, gy = 0, cost = 0, f, g;

    for (size_t i = first; i < end; i++) {
        functions(s, shape, first, i, &f, &g);
        w += 1 / s->variance[i];
        f1 += f / s->variance[i];
        g1 += g / s->variance[i];
        y1 += s->y[i] / s->variance[i];
    }
    if (!(w > 0))
        return 0;
    f1 /= w;
    g1 /= w;
    y1 /= w;
    for (size_t i = first; i < end; i++) {
        functions(s, shape, first, i, &f, &g);
        ff += (f - f1) * (f - f1) / s->variance[i];
        fg += (f - f1) * (g - g1) / s->variance[i];
        fy += (f - f1) * (s->y[i] - y1) / s->variance[i];
    }
    double along = ff > 0 ? fg / ff : 0, b = ff > 0 ? fy / ff : 0;
    for (size_t i = first; i < end; i++) {
        functions(s, shape, first, i, &f, &g);
        double rest = g - g1 - along * (f - f1);
        gg += rest * rest / s->variance[i];
        gy += rest * (s->y[i] - y1) / s->variance[i];
    }
    double c = gg > 0 ? gy / gg : 0;
    for (size_t i = first; i < end; i++) {
        functions(s, shape, first, i, &f, &g);
        double r = s->y[i] - y1 - b * (f - f1) - c * (g - g1 - along * (f - f1));
        cost += r * r / s->variance[i];
        if (off)
            off[i - first] = r;
    }
    return cost;
}

/* Whether a shape can be computed from point `first` on: roots, logarithms and inverses need positive x. */
static bool applies(enum shape shape, const struct series *s, size_t first)
{
    return s->x[first] > 0 || shape == PARABOLA || shape == PARABOLA_OF_INDEX;
}

double smooth_cost(const struct series *s, size_t first, size_t end)
{
    double best = INFINITY;

    for (enum shape shape = 0; shape < SHAPES; shape++)
        if (applies(shape, s, first))
            best = fmin(best, shape_cost(s, shape, first, end, NULL));
    return best;
}

/* Range of the running medians of `off`, without one in TRIMMED at each end: that ignores a burst. */
static double range_of(const double *off, size_t count, size_t reach, double *middles)
{
    double near[2 * OFF_REACH + 1];
    size_t width = count < 2 * reach + 1 ? count : 2 * reach + 1, n = 0;

    for (size_t i = 0; i + width <= count; i++) {
        memcpy(near, off + i, width * sizeof *near);
        middles[n++] = median(near, width);
    }
    sort_numbers(middles, n);
    return n ? middles[n - 1 - n / TRIMMED] - middles[n / TRIMMED] : 0;
}

/*
 * Least sum of squares about a smooth curve; 0 where one stays within least_rise deviations of the points, by running
 * medians. Of few points they are medians of three, since those of five share most of their points, and are all equal
 * on both sides of a bend; but a burst shows in medians of three, so that each point must have been measured
 * repeatedly.
 */
static double smooth_enough(const struct series *s, const double *deviations, const bool *once, double least_rise,
                            double *off, double *scratch)
{
    double best = INFINITY;
    bool few = s->count < OFF_POINTS;

    for (size_t i = 0; i < s->count; i++)
        few = few && !once[i];

    for (enum shape shape = 0; shape < SHAPES; shape++)
        if (applies(shape, s, 0)) {
            best = fmin(best, shape_cost(s, shape, 0, s->count, off));
            for (size_t i = 0; i < s->count; i++)
                off[i] /= deviations[i];
            if (range_of(off, s->count, few ? 1 : OFF_REACH, scratch) < least_rise)
                return 0;
        }
    return best;
}

/* Whether points first … end - 1, more of them than two bursts have, all lie more than OUTLIER deviations above y. */
static bool all_above(const struct series *s, size_t first, size_t end, double y, double deviation)
{
    size_t i = first;

    while (i < end && s->y[i] > y + OUTLIER * deviation)
        i++;
    return i == end && end - first > 2 * BURST_POINTS;
}

bool stands_out(const struct curve *c, size_t first, size_t end, const struct knee *k, bool *good)
{
    const struct series *s = &c->s;
    double *scratch = malloc((s->count + 1) * sizeof *scratch), deviation = INFINITY;
    size_t before = first, after = end;

    *good = *good && scratch;
    if (scratch) {
        while (before < end && s->x[before] <= k->value)
            before++;
        while (after > first && s->x[after - 1] >= k->end)
            after--;
        /* The scatter of each side as a whole or near the knee, whichever is less: farther away another rise may
         * begin. */
        size_t from = before - first > DEVIATION_REACH ? before - DEVIATION_REACH : first;
        size_t to = end - after > DEVIATION_REACH ? after + DEVIATION_REACH : end;
        deviation = fmin(curve_deviation(c, first, before, scratch), curve_deviation(c, from, before, scratch));
        if (c->searched || !all_above(s, after, end, k->before, deviation))
            deviation = fmax(deviation,
                             fmin(curve_deviation(c, after, end, scratch), curve_deviation(c, after, to, scratch)));
        deviation = fmax(deviation, c->common * fmax(fabs(k->before), fabs(k->after)));
    }
    free(scratch);
    /* any slope makes steps of one tick */
    return k->after - k->before > fmax(c->least_rise * deviation, TICKS_OF_RISE * c->tick);
}

/*
 * Marks isolated points: farther than OUTLIER deviations from their running median and from both neighbours, to the
 * same side. No structure shows in a single point.
 */
static void find_isolated(const struct series *s, size_t first, size_t end, const double *heights, bool *isolated)
{
    for (size_t i = first; i < end; i++) {
        double far = OUTLIER * sqrt(s->variance[i]), off = s->y[i] - heights[i];
        double before = i > first ? s->y[i] - s->y[i - 1] : off, after = i + 1 < end ? s->y[i] - s->y[i + 1] : off;
        isolated[i] = fmin(off, fmin(before, after)) > far || fmax(off, fmax(before, after)) < -far;
    }
}

/* Least sum of squares about two lines of which the second one begins lower than the first one ends. */
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

/*
 * Deviation of point i against which a rise is compared: that of the point or of its repetitions, and twice what
 * neighbours have in common, since the medians of neighbours average out the one and not the other. Of the common
 * part only what exceeds chance counts: the upper quartile of n ranges has a standard error of 0.9 / sqrt(n).
 */
static double deviation_at(const struct curve *c, size_t i, double deviation, double height)
{
    double own = isnan(c->error[i]) ? deviation : fmax(deviation, c->error[i]), common = 0;

    if (c->common_places > 0) {
        double chance = SCATTER_OF_MEDIANS * (1 + 0.9 / sqrt((double)c->common_places)) * own;
        double together = c->common * fabs(height);
        common = fmax(0, together * together - chance * chance);
    }
    return sqrt(own * own + 4 * common);
}

/* Distances of the points from the smooth curve that is nearest to them. */
static void nearest_smooth(const struct series *s, double *off)
{
    enum shape best = PARABOLA;
    double least = INFINITY;

    for (enum shape shape = 0; shape < SHAPES; shape++) {
        double cost = applies(shape, s, 0) ? shape_cost(s, shape, 0, s->count, NULL) : INFINITY;
        if (cost < least) {
            least = cost;
            best = shape;
        }
    }
    shape_cost(s, best, 0, s->count, off);
}

/* Removes the points that are marked, and their deviations. */
static void remove_marked(struct series *s, double *deviations, bool *once, const bool *marked)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->count; i++) {
        if (marked[i])
            continue;
        s->x[kept] = s->x[i];
        s->y[kept] = s->y[i];
        s->variance[kept] = s->variance[i];
        once[kept] = once[i];
        deviations[kept++] = deviations[i];
    }
    s->count = kept;
}

/*
 * Sets bursts aside: up to BURST_POINTS neighbours that were measured once, `once`, all far above the smooth curve
 * nearest to all points, fewer at the end of the curve. They bend that curve, so it is fitted again without them. One
 * in BURSTS_ONE_IN points at most; returns how many were set aside. `off`, `scratch`: room for as many.
 */
static size_t set_bursts_aside(struct series *s, double *deviations, bool *once, bool *marked, double *off,
                               double *scratch)
{
    const size_t all = s->count;
    bool any = false;

    for (size_t i = 0; i < all; i++)
        any = any || once[i];
    for (unsigned round = 0; any && round < BURST_ROUNDS && s->count > 2 * BURST_POINTS; round++) {
        size_t n = s->count, run = 0, found = 0;
        nearest_smooth(s, off);
        for (size_t i = 0; i < n; i++)
            scratch[i] = fabs(off[i]);
        const double scatter = SURE * MAD_TO_SIGMA * median(scratch, n);
        memset(marked, 0, n * sizeof *marked);
        for (size_t i = 0; i <= n; i++) {
            if (i < n && once[i] && off[i] > fmax(scatter, OUTLIER * deviations[i])) {
                run++;
                continue;
            }
            for (size_t k = i - run; run + (i == n) <= BURST_POINTS && k < i; k++, found++)
                marked[k] = true;
            run = 0;
        }
        if (found == 0 || BURSTS_ONE_IN * (all - n + found) > all)
            break;
        remove_marked(s, deviations, once, marked);
    }
    return all - s->count;
}

/* Cost of points first … end - 1 without a knee; 0 where one smooth curve stays within the deviations of the points. */
static double cost_without(const struct curve *c, size_t first, size_t end, unsigned without, bool *good)
{
    const struct series *s = &c->s;
    double *heights = malloc((s->count + 1) * sizeof *heights), otherwise = INFINITY;
    double *scratch = malloc((s->count + 1) * sizeof *scratch);
    double *deviations = calloc(s->count + 1, sizeof *deviations), deviation = 0, near[2 * DEVIATION_REACH + 1];
    bool *isolated = malloc((s->count + 1) * sizeof *isolated), *once = calloc(s->count + 1, sizeof *once);
    struct series rest;

    bool ready = heights && scratch && deviations && isolated && once && series_make(&rest, end - first);
    *good = *good && ready;
    if (ready) {
        size_t n = 0;
        curve_medians(s, heights);
        find_isolated(s, first, end, heights, isolated);
        if (!(without & LONE_POINTS))
            memset(isolated, 0, s->count * sizeof *isolated);
        for (size_t i = first; i < end; i++)
            if (!isolated[i]) {
                size_t from = i > first + DEVIATION_REACH ? i - DEVIATION_REACH : first;
                size_t to = i + DEVIATION_REACH < end ? i + DEVIATION_REACH + 1 : end;
                if ((i - first) % DEVIATION_STRIDE == 0 || n == 0)
                    deviation = curve_deviation(c, from, to, near);
                deviations[n] = deviation_at(c, i, deviation, heights[i]);
                once[n] = isnan(c->error[i]);
                rest.x[n] = s->x[i];
                rest.y[n] = s->y[i];
                rest.variance[n++] = s->variance[i];
            }
        rest.count = n;
        series_sum(&rest);
        /* Levels of a search may have two points only, too few for a range of medians; its steps are confirmed. */
        double least_rise = without || c->least_rise > RISE ? c->least_rise : 0;
        double alone = OUTLIER * (double)(end - first - n), drops = without & DROPS ? drop_cost(&rest, 0, n) : INFINITY,
               smooth = smooth_enough(&rest, deviations, once, least_rise, heights, scratch);
        otherwise = alone + fmin(smooth, drops);
        size_t burst = set_bursts_aside(&rest, deviations, once, isolated, heights, scratch);
        if (burst > 0) {
            series_sum(&rest);
            smooth = smooth_enough(&rest, deviations, once, least_rise, heights, scratch);
            otherwise = fmin(otherwise, alone + OUTLIER * (double)burst + smooth);
        }
        series_free(&rest);
    }
    free(heights);
    free(scratch);
    free(deviations);
    free(isolated);
    free(once);
    return otherwise;
}

/*
 * What a sum of squares of so many variances says the variances should be multiplied by: more than 1 where the knee
 * leaves something unexplained, less than 1 where they are upper limits that are far too high. Few points may be near
 * the levels by chance, and equal readings hide the least difference that there is.
 */
static double true_scale(const struct curve *c, size_t first, size_t end, double cost)
{
    const double n = (double)(end - first), free = fmax(n - STEP_PARAMETERS, 1), widen = few_points(free);
    double least = 0;

    for (size_t i = first; i < end; i++)
        least += c->least_difference * c->least_difference / c->s.variance[i];
    return fmax(cost / n, fmin(1, fmax(least, cost * widen * widen) / n));
}

bool needs_knee(const struct curve *c, size_t first, size_t end, double cost, double gain, unsigned without, bool *good)
{
    return cost_without(c, first, end, without, good) - cost > gain * true_scale(c, first, end, cost);
}

bool goes_on_smoothly(const struct curve *c, size_t first, size_t end, bool *good)
{
    return !(cost_without(c, first, end, GRADUAL, good) > 0);
}
