#include "lib/knee/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/statistics.h"
#include "lib/knee/tolerances.h"

enum { SPIKE_ROUNDS = 4, NOISE_STRIDE = 8 };

/*
 * The median of the least of three distances, from both neighbours and from the line through them, times this is the
 * deviation of normal noise if MAD_TO_SIGMA is applied as well. Simulated: 2.576 over MAD_TO_SIGMA.
 */
static const double NEAREST_OF_THREE = 1.737;

/* Lengths of stretches that are taken for one level, from STRETCH_LEAST on, and for two with an edge between them. */
enum { SHORT_STRETCHES = 5, LONG_STRETCHES = 3 };
/*
 * A point scatters by no more than this many times the deviation of any stretch that it is part of, by its length.
 * Simulated: of exponential noise the quietest of these stretches allows less than there is at 1 of 1,000 points, for
 * each length; of normal noise at 1 of 3,000 to 10,000.
 */
static const double SHORT_TIMES[SHORT_STRETCHES] = {26, 15, 10, 8, 6.5};
/* Points of the stretches that are taken for two levels: from two of six points to two of twelve. */
static const size_t LONG_POINTS[LONG_STRETCHES] = {12, 16, 24};
/* As SHORT_TIMES, of the deviation from the means of the two parts of such a stretch; simulated in the same way. */
static const double LONG_TIMES[LONG_STRETCHES] = {4.5, 3.7, 2.5};

double ln_rough(double v)
{
    int exponent;
    double m = frexp(v, &exponent); /* 0.5 <= m < 1 */
    return 0.69314718055994531 * ((double)exponent - 1 + (2 * m - 1));
}

double few_points(double degrees)
{
    return 1 + FEW_POINTS / (degrees * degrees);
}

double octaves(double from, double to)
{
    return (ln_rough(to) - ln_rough(from)) / 0.69314718055994531;
}

/* ---- Noise -------------------------------------------------------------------------------------- */

/*
 * How far a point lies off the line through its neighbours, scaled to have the deviation of a point. Levels, slopes
 * and ramps contribute nothing, and few steps little (Gasser, Sroka, Jennen-Steinmetz: Residual variance and residual
 * pattern in nonlinear regression, Biometrika 73, 1986).
 */
static double pseudo_residual(const struct series *s, size_t i)
{
    double b = (s->x[i] - s->x[i - 1]) / (s->x[i + 1] - s->x[i - 1]), a = 1 - b;
    return fabs(s->y[i] - a * s->y[i - 1] - b * s->y[i + 1]) / sqrt(1 + a * a + b * b);
}

/*
 * How far a point lies off the line through its neighbours or, in a table of few points that were measured repeatedly,
 * off the nearer neighbour, if that is less: of few points most may stand beside a step, and then the line shows the
 * step. A search puts most of its points beside a step on purpose, and has enough others.
 */
static double residual(const struct curve *c, size_t i)
{
    const struct series *s = &c->s;
    const double line = pseudo_residual(s, i);
    const double nearer = fmin(fabs(s->y[i] - s->y[i - 1]), fabs(s->y[i] - s->y[i + 1]));

    return isnan(c->error[i]) || c->searched || s->count >= CURVE_NOISE_GROUP ? line
                                                                              : NEAREST_OF_THREE * fmin(line, nearer);
}

/* Median of a point and of `reach` points on each side of it: about y there, whatever single points are. */
static double running_median(const struct series *s, size_t i, size_t reach)
{
    double near[2 * SPIKE_REACH + 1];

    memcpy(near, s->y + i - reach, (2 * reach + 1) * sizeof *near);
    return median(near, 2 * reach + 1);
}

void curve_medians(const struct series *s, double *out)
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
    double y;        /* running median */
    double residual; /* off the line through the neighbours */
    double alone;    /* the least of `residual` and the distances from both neighbours: about 0 beside a step */
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
    /* Most points repeat exactly, as with a clock that ticks slowly: the others give the noise. */
    for (size_t k = first; k < end; k++)
        scratch[k - first] = order[k].alone;
    sort_numbers(scratch, end - first);
    return quantile(scratch, end - first, 0.9) / NORMAL_90;
}

/*
 * Noise by height, since on many curves it grows with height: sigma[i] for each point. Points of about the same height
 * form a group, and the noise of a point is interpolated between the middles of two groups. (The noise of a point's own
 * group would be wrong: the lowest points of a level may be in one group with the highest of the level below.)
 */
static bool noise_by_height(const struct curve *c, const double *heights, double *sigma)
{
    const struct series *s = &c->s;
    size_t n = s->count, inner = n - 2, groups = inner < CURVE_NOISE_GROUP ? 1 : inner / CURVE_NOISE_GROUP;
    struct height *order = malloc(n * sizeof *order);
    double *scratch = malloc(n * sizeof *scratch), *middles = malloc(2 * groups * sizeof *middles);
    bool good = order && scratch && middles;

    if (good) {
        double *deviations = middles + groups;
        for (size_t i = 1; i + 1 < n; i++) {
            double r = residual(c, i), before = fabs(s->y[i] - s->y[i - 1]), after = fabs(s->y[i] - s->y[i + 1]);
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
            else if (order[k].y > middles[g] && middles[g] > 0) /* few points above all groups: in proportion */
                d *= order[k].y / middles[g];
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
 * Noise by place: raises sigma[i] to the noise of the neighbourhood where that is noisier. By height alone, a level
 * of few points would have the noise of other levels, and points that lie low by chance that of a quieter level
 * below.
 */
static void noise_by_place(const struct curve *c, double *sigma)
{
    const struct series *s = &c->s;
    double near[NOISE_NEAR];
    size_t n = s->count;

    for (size_t first = 1; first + 1 < n; first += NOISE_STRIDE) {
        size_t middle = first + NOISE_STRIDE / 2, from = middle > NOISE_NEAR / 2 + 1 ? middle - NOISE_NEAR / 2 : 1;
        if (from + NOISE_NEAR > n - 1)
            from = n > NOISE_NEAR + 2 ? n - 1 - NOISE_NEAR : 1;
        size_t used = 0;
        for (size_t i = from; i < from + NOISE_NEAR && i + 1 < n; i++)
            near[used++] = residual(c, i);
        double d = MAD_TO_SIGMA * median(near, used);
        for (size_t i = first; i < first + NOISE_STRIDE && i + 1 < n; i++)
            sigma[i] = fmax(sigma[i], d);
    }
    sigma[0] = sigma[1];
    sigma[n - 1] = sigma[n - 2];
}

static double least_difference(const struct series *s)
{
    double least = INFINITY;

    for (size_t i = 1; i < s->count; i++)
        if (s->y[i] < s->y[i - 1] || s->y[i] > s->y[i - 1])
            least = fmin(least, fabs(s->y[i] - s->y[i - 1]));
    return isinf(least) ? 0 : least;
}

/* Sum of the squared distances of points first … end - 1 from their mean. */
static double squares_of(const struct series *s, size_t first, size_t end)
{
    double mean = 0, squares = 0;

    for (size_t i = first; i < end; i++)
        mean += s->y[i] / (double)(end - first);
    for (size_t i = first; i < end; i++)
        squares += (s->y[i] - mean) * (s->y[i] - mean);
    return squares;
}

/* The same, from two means: of the points up to some one and of those behind it, STRETCH_LEAST or more each. */
static double squares_of_two(const struct series *s, size_t first, size_t end)
{
    double best = INFINITY;

    for (size_t at = first + STRETCH_LEAST; at + STRETCH_LEAST <= end; at++) {
        const double left = squares_of(s, first, at);
        if (left < best)
            best = fmin(best, left + squares_of(s, at, end));
    }
    return best;
}

/* Lowers sigma[i] to `most` in a stretch of points from `first` on, and sets limited[i] there. */
static void limit(double *sigma, bool *limited, size_t first, size_t points, double most)
{
    for (size_t i = first; i < first + points; i++)
        if (most < sigma[i]) {
            sigma[i] = most;
            limited[i] = true;
        }
}

/*
 * Lowers sigma[i] to what the quietest stretch of points with point i in it allows, and sets limited[i] there: few
 * points share their height, and most of these may belong to other levels, which scatter more. Short stretches are
 * taken for levels, long ones for two levels with an edge between them; what is neither allows more than that. Where
 * stretches repeat exactly the least difference of the curve stands for a tick that they hide.
 */
static void limit_by_stretches(const struct series *s, double least, double *sigma, bool *limited)
{
    memset(limited, 0, s->count * sizeof *limited);
    for (size_t k = 0; k < SHORT_STRETCHES; k++)
        for (size_t first = 0, n = STRETCH_LEAST + k; first + n <= s->count; first++) {
            double seen = sqrt(squares_of(s, first, first + n) / (double)(n - 1));
            limit(sigma, limited, first, n, fmax(least, SHORT_TIMES[k] * seen));
        }
    for (size_t k = 0; k < LONG_STRETCHES; k++)
        for (size_t first = 0, n = LONG_POINTS[k]; first + n <= s->count; first++) {
            double seen = sqrt(squares_of_two(s, first, first + n) / (double)(n - 3));
            limit(sigma, limited, first, n, fmax(least, LONG_TIMES[k] * seen));
        }
}

/* Median of the standard errors by repetition among the neighbours of point i; 0 where none is known. */
static double error_near(const double *error, size_t n, size_t i)
{
    double near[NOISE_NEAR];
    size_t used = 0, from = i > NOISE_NEAR / 2 ? i - NOISE_NEAR / 2 : 0;

    if (from + NOISE_NEAR > n)
        from = n > NOISE_NEAR ? n - NOISE_NEAR : 0;
    for (size_t k = from; k < from + NOISE_NEAR && k < n; k++)
        if (!isnan(error[k]))
            near[used++] = error[k];
    return used ? median(near, used) : 0;
}

double curve_scatter(const struct curve *c, size_t first, size_t end, double *scratch)
{
    size_t used = 0;

    for (size_t i = first + 1; i + 1 < end; i++)
        scratch[used++] = pseudo_residual(&c->s, i);
    return used > 2 ? MAD_TO_SIGMA * median(scratch, used) : (double)NAN;
}

double curve_deviation(const struct curve *c, size_t first, size_t end, double *scratch)
{
    size_t used = 0;

    for (size_t i = first; i < end; i++)
        scratch[used++] = sqrt(c->s.variance[i]);
    double weighed = used ? median(scratch, used) : 0, neighbours = curve_scatter(c, first, end, scratch);
    used = 0;
    for (size_t i = first; i < end; i++)
        if (!isnan(c->error[i]))
            scratch[used++] = c->error[i];
    double repetitions = used ? median(scratch, used) : 0;
    /* `weighed` is an upper limit: a variance is the larger one of several estimates, each from few neighbours. */
    return fmin(weighed, fmax(neighbours > 0 ? neighbours : weighed, repetitions));
}

/* Whether most of point i and the SPIKE_REACH points on each side of it are marked. */
static bool most_marked(const bool *marked, size_t count, size_t i)
{
    enum { NEAR = 2 * SPIKE_REACH + 1 };
    size_t from = i > SPIKE_REACH ? i - SPIKE_REACH : 0, used = 0;

    if (from + NEAR > count)
        from = count > NEAR ? count - NEAR : 0;
    for (size_t k = from; k < from + NEAR && k < count; k++)
        used += marked[k];
    return 2 * used > NEAR;
}

/*
 * Removes the points that were measured once and are far off their running median; returns their number. Where most
 * neighbours are as far off theirs, that is noise, although points elsewhere at this height may show less of it. `far`
 * has room for as many marks as there are points.
 */
static size_t drop_spikes(struct curve *c, const double *heights, const double *sigma, bool *far)
{
    struct series *s = &c->s;
    size_t kept = 0, n = s->count;

    for (size_t i = 0; i < n; i++)
        far[i] = fabs(s->y[i] - heights[i]) > OUTLIER * sigma[i];
    for (size_t i = 0; i < n; i++) {
        if (far[i] && isnan(c->error[i]) && !most_marked(far, n, i))
            continue;
        s->x[kept] = s->x[i];
        s->y[kept] = s->y[i];
        c->error[kept++] = c->error[i];
    }
    s->count = kept;
    return n - kept;
}

/*
 * Makes the curve of the points that have a y (not NaN), without those that are marked; `dropped` may be NULL: then
 * none is.
 */
static void take_points(struct curve *c, const struct knee_point *points, size_t count, const bool *dropped)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        if (isnan(points[i].y) || (dropped && dropped[i]))
            continue;
        c->s.x[n] = points[i].x;
        c->s.y[n] = points[i].y;
        c->error[n++] = points[i].error;
    }
    c->s.count = n;
}

/*
 * Takes points into the curve again where BURST_POINTS neighbours or more were dropped: that is a level, one that
 * scatters more than the others. False when memory is short.
 */
static bool take_back_levels(struct curve *c, const struct knee_point *points, size_t count)
{
    bool *dropped = malloc((count + 1) * sizeof *dropped);

    if (!dropped)
        return false;
    for (size_t i = 0, next = 0; i < count; i++) {
        dropped[i] = next == c->s.count || points[i].x < c->s.x[next];
        next += !dropped[i];
    }
    for (size_t i = 0, first = 0; i <= count; i++)
        if (i == count || !dropped[i]) {
            if (i - first >= BURST_POINTS)
                memset(dropped + first, 0, (i - first) * sizeof *dropped);
            first = i + 1;
        }
    take_points(c, points, count, dropped);
    free(dropped);
    return true;
}

/*
 * Tick of a clock that is coarser than the noise; 0 where none shows. Neighbours then are equal or differ by multiples
 * of it; of those that differ at least a quarter do by exactly one tick. `scratch` has room for as many points.
 */
static double tick_of(const struct series *s, double *scratch)
{
    size_t n = 0, single = 0;

    for (size_t i = 1; i < s->count; i++)
        if (s->y[i] > s->y[i - 1] || s->y[i] < s->y[i - 1])
            scratch[n++] = fabs(s->y[i] - s->y[i - 1]);
    sort_numbers(scratch, n);
    double tick = n ? scratch[0] : 0;
    while (single < n && scratch[single] < ONE_TICK * tick)
        single++;
    return single >= TICKS && TICKS_ONE_IN * single >= n ? tick : 0;
}

/*
 * Sets the variance of each point. A point scatters as its repetitions do, and besides as its place in memory, its
 * alignment and the like differ from its neighbours': to the variance by repetition the part of the neighbours'
 * scatter is added that repetitions don't explain.
 */
static bool set_variances(struct curve *c, const struct knee_point *points, size_t count)
{
    struct series *s = &c->s;
    size_t n = s->count;
    double *sigma = malloc(n * sizeof *sigma), *scratch = malloc(n * sizeof *scratch), low = INFINITY, high = -INFINITY;
    bool *limited = malloc(n * sizeof *limited), good = sigma && scratch && limited;

    for (unsigned round = 0; good && round < SPIKE_ROUNDS && s->count >= POINTS_AT_LEAST; round++) {
        curve_medians(s, scratch);
        good = noise_by_height(c, scratch, sigma);
        if (good && drop_spikes(c, scratch, sigma, limited) == 0)
            break;
    }
    good = good && take_back_levels(c, points, count);
    n = s->count;
    if (good && n >= POINTS_AT_LEAST) {
        curve_medians(s, scratch);
        good = noise_by_height(c, scratch, sigma);
        noise_by_place(c, sigma);
        c->least_difference = least_difference(s);
        limit_by_stretches(s, c->least_difference, sigma, limited);
        for (size_t i = 0; i < n; i++) {
            low = fmin(low, s->y[i]);
            high = fmax(high, s->y[i]);
        }
        double typical = 0;
        /* the least deviation is that of the arithmetic */
        double least = DIGITS_OF_RANGE * (high - low) + DIGITS_OF_HEIGHT * fmax(fabs(high), fabs(low));
        /* Deviation of rounding to a tick (Widrow: A study of rough amplitude quantization, IRE Transactions CT-3,
         * 1956). */
        c->tick = tick_of(s, scratch);
        double rounding = c->tick / sqrt(12);
        for (size_t i = 0; i < n; i++) {
            if (i % NOISE_STRIDE == 0)
                typical = error_near(c->error, n, i + NOISE_STRIDE / 2);
            double e = isnan(c->error[i]) ? 0 : c->error[i],
                   layout = sigma[i] * sigma[i] - (limited[i] ? e * e : typical * typical);
            double scatter = SCATTER_AT_LEAST * sigma[i], v = fmax(fmax(layout, 0) + e * e, scatter * scatter);
            s->variance[i] = fmax(v, fmax(least * least, rounding * rounding));
            if (!(s->variance[i] > 0))
                s->variance[i] = 1;
        }
        for (size_t i = 0; i < n; i++)
            scratch[i] = s->variance[i];
        c->sigma = sqrt(median(scratch, n));
        if (c->sigma <= 2 * least)
            c->sigma = 0;
        c->penalty = 2 * (ln_rough((double)n) + LN_FALSE_CUT);
        series_sum(s);
    }
    free(sigma);
    free(scratch);
    free(limited);
    return good;
}

bool curve_load(const struct knee_point *points, size_t count, double step, bool searched, struct curve *c)
{
    *c = (struct curve){.step = INFINITY, .searched = searched};
    if (!series_make(&c->s, count) || !(c->error = malloc((count + 1) * sizeof *c->error))) {
        series_free(&c->s);
        return false;
    }
    for (size_t i = 1; i < count; i++)
        c->step = fmin(c->step, points[i].x - points[i - 1].x);
    if (step > 0)
        c->step = step;
    take_points(c, points, count, NULL);
    if (c->s.count < POINTS_AT_LEAST || set_variances(c, points, count))
        return true;
    curve_release(c);
    return false;
}

void curve_release(struct curve *c)
{
    series_free(&c->s);
    free(c->error);
}
