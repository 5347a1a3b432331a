#include "lib/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/statistics.h"

enum {
    SAMPLES_AT_ONE_X = 64, /* methods 16.4 */
    ROUNDS_MAXIMUM = 200,
    NOISE_GROUP = 48
};

/* Chance of either error in the sequential test at one x: ln(1000). Wald: Sequential tests of statistical hypotheses,
 * Annals of Mathematical Statistics 16, 1945. */
static const double LN_WRONG = 6.9077552789821368;
static const double MAD_TO_SIGMA = 1.4826;

/* ---- Samples ------------------------------------------------------------------------------------ */

static struct search_point *place(struct search *s, double x)
{
    size_t i = s->count;

    while (i > 0 && s->points[i - 1].x >= x)
        i--;
    if (i < s->count && !(s->points[i].x > x))
        return &s->points[i];
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 64;
        struct search_point *grown = realloc(s->points, room * sizeof *grown);
        if (!grown)
            return NULL;
        s->points = grown;
        s->room = room;
    }
    memmove(&s->points[i + 1], &s->points[i], (s->count - i) * sizeof *s->points);
    s->points[i] = (struct search_point){.x = x, .y = (double)NAN};
    s->count++;
    return &s->points[i];
}

static double median_of(const double *values, unsigned count)
{
    double sorted[2 * SAMPLES_AT_ONE_X];
    unsigned n = count < 2 * SAMPLES_AT_ONE_X ? count : 2 * SAMPLES_AT_ONE_X;

    memcpy(sorted, values, n * sizeof *sorted);
    sort_numbers(sorted, n);
    return quantile(sorted, n, 0.5);
}

/* Takes one sample at x. False when the search is at its end: `spent`, or nothing can be measured any more. */
static bool take(struct search *s, double x)
{
    struct search_point *p;
    double y, *grown;

    if (s->taken >= s->budget) {
        s->spent = true;
        return false;
    }
    p = place(s, x);
    if (!p)
        return false;
    s->reached = fmax(s->reached, x);
    if (!s->sample(s->context, x, &y))
        return false;
    s->taken++;
    p->samples++;
    if (isnan(y))
        return true;
    grown = realloc(p->sample, (p->kept + 1) * sizeof *grown);
    if (!grown)
        return false;
    p->sample = grown;
    p->sample[p->kept++] = y;
    p->y = median_of(p->sample, p->kept);
    return true;
}

static double to_grain(const struct search *s, double x)
{
    return floor(x / s->grain + 0.5) * s->grain;
}

/* ---- Noise -------------------------------------------------------------------------------------- */

struct difference {
    double y, size;
    size_t at;
};

static int by_height(const void *left, const void *right)
{
    const struct difference *a = left, *b = right;
    return a->y < b->y || a->y > b->y ? (a->y > b->y) - (a->y < b->y) : (a->at > b->at) - (a->at < b->at);
}

/* Deviation of a sample at each point, from how samples at one x differ, pooled over points of about one height. */
static bool noise(const struct search *s, double *sigma)
{
    size_t n = 0, total = 0;

    for (size_t i = 0; i < s->count; i++)
        total += s->points[i].kept;
    struct difference *d = malloc((total + 1) * sizeof *d);
    double *scratch = malloc((total + 1) * sizeof *scratch);
    if (d && scratch) {
        for (size_t i = 0; i < s->count; i++) {
            sigma[i] = (double)NAN;
            for (unsigned k = 1; k < s->points[i].kept; k++)
                d[n++] = (struct difference){s->points[i].y,
                                             fabs(s->points[i].sample[k] - s->points[i].sample[k - 1]) / sqrt(2), i};
        }
        qsort(d, n, sizeof *d, by_height);
        size_t groups = n < 2 * NOISE_GROUP ? 1 : n / NOISE_GROUP;
        for (size_t g = 0; g < groups && n > 0; g++) {
            size_t first = n * g / groups, end = n * (g + 1) / groups;
            for (size_t k = first; k < end; k++)
                scratch[k - first] = d[k].size;
            sort_numbers(scratch, end - first);
            double middle = quantile(scratch, end - first, 0.5);
            double deviation = middle > 0 ? MAD_TO_SIGMA * middle : quantile(scratch, end - first, 0.9) / 1.645;
            for (size_t k = first; k < end; k++)
                sigma[d[k].at] = deviation;
        }
    }
    bool good = d && scratch;
    free(d);
    free(scratch);
    return good;
}

static bool decide(struct search *s)
{
    double *sigma = malloc((s->count + 1) * sizeof *sigma);
    struct knee_point *points = malloc((s->count + 1) * sizeof *points);
    bool good = sigma && points && noise(s, sigma);

    for (size_t i = 0; good && i < s->count; i++) {
        const struct search_point *p = &s->points[i];
        /* the median of more than two scatters sqrt(pi / 2) as far as their mean */
        points[i] = (struct knee_point){p->x, p->y, sigma[i] / sqrt(p->kept) * (p->kept > 2 ? 1.2533 : 1)};
    }
    good = good && knee_decide(s->kind, points, s->count, s->grain, &s->verdict);
    free(sigma);
    free(points);
    return good;
}

/* ---- The walk ----------------------------------------------------------------------------------- */

/* One pass over [from, to] of the coarse grid. */
static bool pass(struct search *s, double from, double to)
{
    double ratio = 2, spacing = s->per_octave ? 0 : (s->to - s->from) / (s->coarse > 4 ? s->coarse - 1 : 3),
           last = -INFINITY;

    /* 2^(1/n) by its square roots: n is a power of two, and sqrt is exact in every build */
    for (unsigned n = 1; n < s->per_octave; n *= 2)
        ratio = sqrt(ratio);
    for (double exact = s->from; last < to; exact = s->per_octave ? exact * ratio : exact + spacing) {
        double x = fmin(to_grain(s, exact), to);
        if (!(x > last))
            continue;
        last = x;
        if (x >= from && !take(s, x))
            return false;
    }
    return true;
}

/* Sequential test at x: is it like the level before, or has it left that? At least two samples. */
static bool test(struct search *s, double x, const struct knee *k)
{
    double sigma = s->verdict.sigma, rise = k->after - k->before, delta = fmin(rise, fmax(rise / 4, 4 * sigma));

    for (unsigned n = 0; n < SAMPLES_AT_ONE_X; n++) {
        if (!take(s, x))
            return false;
        const struct search_point *p = place(s, x);
        if (p->kept < 2)
            continue;
        double spread = fabs(p->sample[p->kept - 1] - p->sample[p->kept - 2]);
        if (p->kept == 2 && spread > 4 * sigma)
            continue;
        double likelihood = sigma > 0 ? p->kept * delta / sigma / sigma * (p->y - k->before - delta / 2) : INFINITY;
        if (fabs(likelihood) > LN_WRONG)
            return true;
    }
    return true;
}

/* Where in an interval the next sample tells most: in the middle of the widest gap; else where the fewest were taken. */
static double wanted(const struct search *s, double low, double high)
{
    double gap = s->grain * 1.5, x = (double)NAN;
    unsigned fewest = SAMPLES_AT_ONE_X;

    for (size_t i = 0; i + 1 < s->count; i++)
        if (s->points[i].x >= low && s->points[i + 1].x <= high && s->points[i + 1].x - s->points[i].x > gap) {
            gap = s->points[i + 1].x - s->points[i].x;
            x = to_grain(s, (s->points[i].x + s->points[i + 1].x) / 2);
        }
    if (!isnan(x))
        return x;
    for (size_t i = 0; i < s->count; i++)
        if (s->points[i].x >= low && s->points[i].x <= high && s->points[i].samples < fewest) {
            fewest = s->points[i].samples;
            x = s->points[i].x;
        }
    return x;
}

/* Narrows every knee down. */
static bool narrow(struct search *s)
{
    for (unsigned round = 0; round < ROUNDS_MAXIMUM; round++) {
        if (!decide(s))
            return false;
        const struct verdict v = s->verdict;
        bool narrowed = false;
        for (size_t i = 0; i < v.count; i++) {
            const struct knee *k = &v.knees[i];
            double low = s->halves ? k->half_low : k->low, high = s->halves ? k->half_high : k->high;
            if (!(high - low > 1.5 * s->grain))
                continue;
            double x = wanted(s, low, high);
            if (isnan(x))
                continue;
            narrowed = true;
            if (!test(s, x, k))
                return false;
        }
        if (!narrowed)
            break;
    }
    return true;
}

/* Samples the points beside each knee again, later than the first time. */
static bool confirm(struct search *s)
{
    const struct verdict v = s->verdict;

    for (size_t i = 0; i < v.count; i++)
        for (size_t k = 0; k < s->count; k++)
            if (k + 3 < s->count && s->points[k + 3].x >= v.knees[i].low &&
                (k < 3 || s->points[k - 3].x <= v.knees[i].high) && !take(s, s->points[k].x))
                return false;
    return true;
}

bool search_run(struct search *s)
{
    bool good = pass(s, s->from, s->to) && pass(s, s->from, s->to) && narrow(s) && confirm(s) && narrow(s);

    s->grid = floor((s->reached - s->from) / s->grain + 1.5);
    if (!good && s->spent)
        good = decide(s);
    return good;
}

void search_free(struct search *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->points[i].sample);
    free(s->points);
    s->points = NULL;
    s->count = s->room = 0;
}
