#include "lib/knee/search_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/statistics.h"
#include "lib/knee/tolerances.h"

/* ---- Points ------------------------------------------------------------------------------------- */

struct search_point *search_point_at(struct search *s, double x)
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

size_t search_points_within(const struct search *s, double low, double high)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        n += s->points[i].x > low && s->points[i].x < high;
    return n;
}

double search_round(const struct search *s, double x)
{
    return floor(x / s->step + 0.5) * s->step;
}

/* ---- Samples ------------------------------------------------------------------------------------ */

/* The median of the values, which stay in their order; `scratch` has room for as many. */
static double median_of(const double *values, unsigned count, double *scratch)
{
    memcpy(scratch, values, count * sizeof *scratch);
    return median(scratch, count);
}

bool search_take(struct search *s, double x)
{
    struct search_point *p;
    double y, *grown;

    if (s->taken + s->reserved >= s->budget) {
        s->spent = true;
        return false;
    }
    if (s->taken >= s->share)
        return false;
    p = search_point_at(s, x);
    if (!p)
        return false;
    s->reached = fmax(s->reached, x);
    if (!s->sample(s->context, x, &y))
        return false;
    s->taken++;
    p->samples++;
    if (isnan(y))
        return true;
    grown = realloc(p->sample, 2 * ((size_t)p->kept + 1) * sizeof *grown); /* the second half is scratch */
    if (!grown)
        return false;
    p->sample = grown;
    p->sample[p->kept++] = y;
    p->y = median_of(p->sample, p->kept, p->sample + p->kept);
    return true;
}

bool search_take_value(struct search *s, double x, double *y)
{
    const struct search_point *p = search_point_at(s, x);
    unsigned kept = p ? p->kept : 0;

    if (!search_take(s, x))
        return false;
    p = search_point_at(s, x);
    *y = p->kept > kept ? p->sample[p->kept - 1] : (double)NAN;
    return true;
}

bool search_wait_for_quiet(struct search *s)
{
    const struct search_point *p = search_point_at(s, s->from);
    double differences[RECENT], scratch[RECENT];
    unsigned n = p ? (p->kept < RECENT ? p->kept : RECENT) : 0;

    if (n < RECENT_AT_LEAST)
        return search_take(s, s->from);
    const double *recent = p->sample + p->kept - n;
    double usual = median_of(recent, n, scratch);
    for (unsigned i = 1; i < n; i++)
        differences[i - 1] = fabs(recent[i] - recent[i - 1]);
    double sigma = MAD_TO_SIGMA / sqrt(2) * median(differences, n - 1);
    for (unsigned k = 0; sigma > 0 && k < PATIENCE; k++) {
        if (!search_take(s, s->from))
            return false;
        p = search_point_at(s, s->from);
        if (!(p->sample[p->kept - 1] > usual + fmax(APART * sigma, s->resolution * usual)))
            break;
    }
    return true;
}

/* ---- Noise -------------------------------------------------------------------------------------- */

/* Two samples taken one after the other at point number `at`, whose height is y; `size`: their distance / sqrt(2). */
struct difference {
    double y, size;
    size_t at;
};

static int by_height(const void *left, const void *right)
{
    const struct difference *a = left, *b = right;
    if (a->y < b->y || a->y > b->y)
        return (a->y > b->y) - (a->y < b->y);
    if (a->at != b->at)
        return (a->at > b->at) - (a->at < b->at);
    return (a->size > b->size) - (a->size < b->size); /* no ties: C libraries would order those differently */
}

bool search_noise(const struct search *s, double *sigma)
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
        size_t groups = n < 2 * SAMPLE_NOISE_GROUP ? 1 : n / SAMPLE_NOISE_GROUP;
        for (size_t g = 0; g < groups && n > 0; g++) {
            size_t first = n * g / groups, end = n * (g + 1) / groups;
            for (size_t k = first; k < end; k++)
                scratch[k - first] = d[k].size;
            sort_numbers(scratch, end - first);
            double middle = quantile(scratch, end - first, 0.5);
            /* where most differences are 0, nine in ten of a normal sample lie within NORMAL_90 deviations */
            double deviation = middle > 0 ? MAD_TO_SIGMA * middle : quantile(scratch, end - first, 0.9) / NORMAL_90;
            for (size_t k = first; k < end; k++)
                sigma[d[k].at] = deviation;
        }
    }
    bool good = d && scratch;
    free(d);
    free(scratch);
    return good;
}

bool search_repeats_exactly(const struct search *s)
{
    for (size_t i = 0; i < s->count; i++)
        for (unsigned k = 1; k < s->points[i].kept; k++)
            if (s->points[i].sample[k] < s->points[i].sample[0] || s->points[i].sample[k] > s->points[i].sample[0])
                return false;
    return true;
}

/* ---- Contradictions ----------------------------------------------------------------------------- */

/*
 * Whether point i needs more samples: it has one at most; or its samples differ by more than noise, unless there are at
 * least SETTLED_SAMPLES of which most are near their median; or they are LONE_SAMPLES at most, and their median lies
 * beyond both neighbours.
 */
static bool is_doubtful(const struct search *s, size_t i, double sigma)
{
    const struct search_point *p = &s->points[i];
    double low = INFINITY, high = -INFINITY;
    unsigned near = 0;

    if (p->samples >= SETTLE_SAMPLES)
        return false;
    for (unsigned k = 0; k < p->kept; k++) {
        low = fmin(low, p->sample[k]);
        high = fmax(high, p->sample[k]);
        near += fabs(p->sample[k] - p->y) <= APART / 2 * sigma;
    }
    if (p->kept < 2)
        return true;
    if (high - low > APART * sigma)
        return p->kept < SETTLED_SAMPLES || 100 * near < SETTLED_PERCENT * p->kept;
    if (p->kept > LONE_SAMPLES || i == 0 || i + 1 == s->count)
        return false;
    return p->y < fmin(p[-1].y, p[1].y) - APART * sigma || p->y > fmax(p[-1].y, p[1].y) + APART * sigma;
}

bool search_settle(struct search *s)
{
    double *sigma = NULL;
    bool good = true;

    for (unsigned round = 0; good && round < SETTLE_SAMPLES; round++) {
        const size_t count = s->count; /* sampling a point again adds no point */
        size_t doubts = 0;
        double *grown = realloc(sigma, (count + 1) * sizeof *sigma);
        good = grown != NULL;
        sigma = good ? grown : sigma;
        good = good && search_noise(s, sigma);
        for (size_t i = 0; good && i < count; i++)
            if (is_doubtful(s, i, fmax(sigma[i], s->resolution * fabs(s->points[i].y)))) {
                doubts++;
                good = search_wait_for_quiet(s) && search_take(s, s->points[i].x);
            }
        if (doubts == 0)
            break;
    }
    free(sigma);
    return good;
}
