#include "lib/engine/search.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/engine/statistics.h"

enum {
    SAMPLES_AT_ONE_X = 64, /* methods 16.4 */
    SETTLE_SAMPLES = 9,    /* of one x that contradict each other */
    AGAIN_SAMPLES = 16,    /* of one x, where new x tell no more */
    INSIDE_MAXIMUM = 8,    /* points in an interval that is not clear */
    ROUNDS_MAXIMUM = 200,
    PASSES = 2,
    SHARE_AT_LEAST = 16,
    NOISE_GROUP = 48, /* differences of about one height from which their noise is told */
    PATIENCE = 16,    /* samples for which quiet is waited for */
    RECENT = 33,      /* samples that say how things are when quiet */
    RECENT_AT_LEAST = 4,
    TAKES_FOR_ONE_OF_THE_FIRST = 8, /* in a pass */
    GUARDS_MAXIMUM = 8,             /* methods 16.4 */
    STEPS_FOR_A_GUARD = 100,
    GUARDS_EXACT = 3, /* on each side of a knee */
    POINTS_AFTER = 3, /* of a level that counts as reached */
    PAIR_POINTS = 3,
    LOOKED_AT = 3,          /* x at once */
    LOOKS_MAXIMUM = 4,      /* at a knee, but for the first one */
    RESERVED = 64,          /* samples for the confirmation, whatever has become of the rest, */
    RESERVED_OF_BUDGET = 4, /* and no more than this part of all */
    PAIRS_MAXIMUM = 24,
    LEAD = 4,
    LEAD_EXACT = 2, /* where samples repeat exactly */
};

/* Chance of either error in the sequential test at one x: ln(1000). Wald: Sequential tests of statistical hypotheses,
 * Annals of Mathematical Statistics 16, 1945. */
static const double LN_WRONG = 6.9077552789821368;
static const double MAD_TO_SIGMA = 1.4826;
/* Deviations by which a point drawn at random surprises: methods 16.4. */
static const double SURPRISE = 6;

/* Two samples of one x that are further apart than this many deviations were not taken under the same conditions. */
static const double APART = 4;

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

    if (s->taken + s->reserved >= s->budget) {
        s->spent = true;
        return false;
    }
    if (s->taken >= s->share)
        return false;
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
    if (a->y < b->y || a->y > b->y)
        return (a->y > b->y) - (a->y < b->y);
    if (a->at != b->at)
        return (a->at > b->at) - (a->at < b->at);
    return (a->size > b->size) - (a->size < b->size); /* else each C library has an order of its own */
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

/* What the points say so far, or what they say at last. */
static bool decide(struct search *s, bool at_last)
{
    double *sigma = malloc((s->count + 1) * sizeof *sigma);
    struct knee_point *points = malloc((s->count + 1) * sizeof *points);
    struct knee_passes passes = {PASSES, malloc((PASSES * s->count + 1) * sizeof *passes.y)};
    bool good = sigma && points && passes.y && noise(s, sigma);

    for (size_t i = 0; good && i < s->count; i++) {
        const struct search_point *p = &s->points[i];
        /* the median of more than two scatters sqrt(pi / 2) as far as their mean */
        double error = sigma[i] / sqrt(p->kept) * (p->kept > 2 ? 1.2533 : 1), least = s->resolution * fabs(p->y);
        points[i] = (struct knee_point){p->x, p->y, least > 0 && !(error > least) ? least : error};
        /* What was disturbed in one of the passes was settled since. */
        bool both = p->walked && p->kept >= PASSES && fabs(p->sample[1] - p->sample[0]) <= APART * sigma[i];
        for (size_t pass = 0; pass < PASSES; pass++)
            passes.y[pass * s->count + i] = both ? p->sample[pass] : (double)NAN;
    }
    good = good && (at_last ? knee_decide_searched(s->kind, points, s->count, s->grain, &passes, &s->verdict)
                            : knee_candidates(s->kind, points, s->count, s->grain, &s->verdict));
    free(passes.y);
    free(sigma);
    free(points);
    return good;
}

/* ---- Asking at one x ---------------------------------------------------------------------------- */

/*
 * Waits until the core is as it was: the first point, well known by now, is sampled until it reads no higher than
 * before. Stretches of time in which all is slower pass by; what never passes was waited for in vain. Where samples
 * repeat exactly nothing has to be waited for.
 */
static bool wait_for_quiet(struct search *s)
{
    const struct search_point *p = place(s, s->from);
    double differences[RECENT];
    unsigned n = p ? (p->kept < RECENT ? p->kept : RECENT) : 0;

    if (n < RECENT_AT_LEAST)
        return take(s, s->from);
    const double *recent = p->sample + p->kept - n;
    double before = median_of(recent, n);
    for (unsigned i = 1; i < n; i++)
        differences[i - 1] = fabs(recent[i] - recent[i - 1]);
    double sigma = MAD_TO_SIGMA / sqrt(2) * median_of(differences, n - 1);
    for (unsigned k = 0; sigma > 0 && k < PATIENCE; k++) {
        if (!take(s, s->from))
            return false;
        p = place(s, s->from);
        if (!(p->sample[p->kept - 1] > before + fmax(APART * sigma, s->resolution * before)))
            break;
    }
    return true;
}

/*
 * Sequential test at x: like the level before the knee, or has it left that? Samples are taken, two at least, until the
 * likelihood ratio of their median between both says so.
 */
static bool test(struct search *s, double x, const struct knee *k)
{
    double sigma = s->verdict.sigma, rise = k->after - k->before, delta = fmin(rise, APART * sigma);

    if (!wait_for_quiet(s))
        return false;
    for (unsigned n = 0; n < SAMPLES_AT_ONE_X; n++) {
        if (!take(s, x))
            return false;
        const struct search_point *p = place(s, x);
        if (p->kept < 2 || (p->kept == 2 && fabs(p->sample[1] - p->sample[0]) > APART * sigma))
            continue;
        if (!(sigma > 0) || fabs(p->kept * delta / sigma / sigma * (p->y - k->before - delta / 2)) > LN_WRONG)
            return true;
    }
    return true;
}

/* Whether the samples of a point contradict each other, or all of them its neighbours. */
static bool doubtful(const struct search *s, size_t i, double sigma)
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
        return p->kept < 5 || 10 * near < 7 * p->kept;
    if (p->kept > 3 || i == 0 || i + 1 == s->count)
        return false;
    return p->y < fmin(p[-1].y, p[1].y) - APART * sigma || p->y > fmax(p[-1].y, p[1].y) + APART * sigma;
}

/* Where samples contradict each other, more are taken, later than those, until most agree. */
static bool settle(struct search *s)
{
    double *sigma = NULL;
    bool good = true;

    for (unsigned round = 0; good && round < SETTLE_SAMPLES; round++) {
        size_t doubts = 0;
        double *grown = realloc(sigma, (s->count + 1) * sizeof *sigma);
        good = grown != NULL;
        sigma = good ? grown : sigma;
        good = good && noise(s, sigma);
        for (size_t i = 0; good && i < s->count; i++)
            if (doubtful(s, i, fmax(sigma[i], s->resolution * fabs(s->points[i].y)))) {
                doubts++;
                good = wait_for_quiet(s) && take(s, s->points[i].x);
            }
        if (doubts == 0)
            break;
    }
    free(sigma);
    return good;
}

/* ---- The coarse grid ---------------------------------------------------------------------------- */

/* The next x of the grid after x. */
static double next_x(const struct search *s, double x)
{
    double ratio = 2, spacing = (s->to - s->from) / (s->coarse > 4 ? s->coarse - 1 : 3);

    if (!s->per_octave)
        return fmax(x + s->grain, s->from + to_grain(s, (floor((x - s->from) / spacing + 0.01) + 1) * spacing));
    /* 2^(1/n) by its square roots: n is a power of two, and sqrt is exact in every build */
    for (unsigned n = 1; n < s->per_octave; n *= 2)
        ratio = sqrt(ratio);
    double exact = s->from;
    while (to_grain(s, exact) <= x)
        exact *= ratio;
    return to_grain(s, exact);
}

/* One pass over from … to. A level of four steps at either end has two points, so that one alone tells nothing. */
static bool pass(struct search *s, double from, double to)
{
    double edge = 3 * s->grain, last = from;

    if (!take(s, from))
        return false;
    for (unsigned n = 1; last < to; n++) {
        double x = fmin(next_x(s, last), to);
        if (last < from + edge && x > from + edge)
            x = from + edge;
        else if (last < to - edge && x > to - edge)
            x = to - edge;
        last = x;
        if ((n % TAKES_FOR_ONE_OF_THE_FIRST == 0 && !take(s, s->from)) || !take(s, x))
            return false;
        place(s, x)->walked = true;
    }
    return true;
}

/* Twice, so that what was disturbed once was not the other time. */
static bool walk(struct search *s, double from, double to)
{
    for (unsigned n = 0; n < PASSES; n++)
        if (!pass(s, from, to))
            return false;
    return settle(s);
}

/* ---- Narrowing ---------------------------------------------------------------------------------- */

/* The middle of the widest gap between points of low … high; NaN where there is none wider than `least`. */
static double widest_gap(const struct search *s, double low, double high, double least)
{
    double x = (double)NAN;

    for (size_t i = 0; i + 1 < s->count; i++) {
        double gap = s->points[i + 1].x - s->points[i].x;
        if (s->points[i].x >= low && s->points[i + 1].x <= high && gap > least) {
            least = gap;
            x = s->points[i].x + floor(gap / s->grain / 2) * s->grain;
        }
    }
    return x;
}

/* Doubles the samples at points of low … high, and of one neighbour on each side. */
static bool again(struct search *s, double low, double high, bool *any)
{
    for (size_t i = 0; i < s->count; i++) {
        if ((i + 1 < s->count && s->points[i + 1].x < low) || (i > 0 && s->points[i - 1].x > high))
            continue;
        unsigned more = s->points[i].samples < AGAIN_SAMPLES ? s->points[i].samples : 0;
        for (; more > 0; more--) {
            *any = true;
            if (!take(s, s->points[i].x))
                return false;
        }
    }
    return true;
}

static size_t points_within(const struct search *s, double low, double high)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        n += s->points[i].x > low && s->points[i].x < high;
    return n;
}

/* Makes an interval smaller: a new x in its widest gap; where that has been tried, more samples of those it has. */
static bool narrow_interval(struct search *s, const struct knee *k, double low, double high, bool *any)
{
    double x = widest_gap(s, low, high, 1.5 * s->grain);

    if (!(high - low > 1.5 * s->grain))
        return true;
    if (!isnan(x) && points_within(s, low, high) < INSIDE_MAXIMUM) {
        *any = true;
        return test(s, x, k);
    }
    return s->verdict.sigma > 0 ? again(s, low, high, any) : true;
}

/* Where the rise ends: what lies between may be a level of its own. */
static bool narrow_end(struct search *s, const struct knee *k, bool *any)
{
    double x = (double)NAN;

    for (size_t i = 1; i < s->count && s->points[i].x <= k->end; i++)
        if (s->points[i - 1].x >= k->high && s->points[i].x >= k->end &&
            s->points[i].x - s->points[i - 1].x > fmax(1.5 * s->grain, (k->end - k->value) / 8))
            x = s->points[i - 1].x + floor((s->points[i].x - s->points[i - 1].x) / s->grain / 2) * s->grain;
    if (isnan(x))
        return true;
    *any = true;
    return test(s, x, k);
}

/* A rise that takes less than this part of what is before it is an edge, and where it begins is asked. */
static const double EDGE = 0.25;

static bool narrow_knee(struct search *s, const struct knee *k, bool *any)
{
    if (s->halves && k->ramp && k->end - k->low > EDGE * k->low)
        return narrow_interval(s, k, k->half_low, k->half_high, any);
    return narrow_interval(s, k, k->low, k->high, any) && narrow_end(s, k, any);
}

/* Narrows every knee down; none may spend more than its share of what is left, since some never become clear. */
static bool narrow(struct search *s)
{
    for (unsigned round = 0; round < ROUNDS_MAXIMUM; round++) {
        bool any = false, good = decide(s, false);
        const struct verdict v = s->verdict;
        for (size_t i = 0; good && i < v.count; i++) {
            unsigned share = (s->budget - s->taken) / (unsigned)(v.count + 1);
            s->share = s->taken + (share < SHARE_AT_LEAST ? SHARE_AT_LEAST : share);
            good = narrow_knee(s, &v.knees[i], &any) || (!s->spent && s->taken >= s->share);
            s->share = UINT_MAX;
        }
        if (!good)
            return false;
        if (!any)
            break;
    }
    return true;
}

/* ---- Doubting ----------------------------------------------------------------------------------- */

/*
 * Points drawn at random where the curve should be as its neighbours are: what isn't is looked at more closely. Where
 * samples repeat exactly, a wave between the points of the grid is no noise, and looks slower than it is: some are drawn
 * on each side of each knee.
 */
static bool guard_between(struct search *s, double from, double to, unsigned draws)
{
    double steps = floor((to - from) / s->grain);

    for (unsigned n = 0; n < draws && steps >= 0; n++) {
        double x = from + (double)random_below(&s->random, (uint64_t)steps + 1) * s->grain;
        size_t before = s->count;
        if (!wait_for_quiet(s) || !take(s, x) || !take(s, x))
            return false;
        if (s->count == before)
            continue;
        size_t i = (size_t)(place(s, x) - s->points);
        if (i == 0 || i + 1 == s->count)
            continue;
        double low = fmin(s->points[i - 1].y, s->points[i + 1].y), high = fmax(s->points[i - 1].y, s->points[i + 1].y);
        double margin = SURPRISE * s->verdict.sigma;
        if (s->points[i].y < low - margin || s->points[i].y > high + margin)
            for (int side = -1; side <= 1; side += 2)
                for (int twice = 0; twice < 2; twice++)
                    if (!take(s, x + side * s->grain))
                        return false;
    }
    return true;
}

/* Whether all samples of each x are alike. */
static bool repeats(const struct search *s)
{
    for (size_t i = 0; i < s->count; i++)
        for (unsigned k = 1; k < s->points[i].kept; k++)
            if (s->points[i].sample[k] < s->points[i].sample[0] || s->points[i].sample[k] > s->points[i].sample[0])
                return false;
    return true;
}

static bool guard(struct search *s)
{
    double steps = floor((s->reached - s->from) / s->grain);
    const struct verdict v = s->verdict;
    bool good = guard_between(s, s->from, s->reached, (unsigned)fmin(GUARDS_MAXIMUM, steps / STEPS_FOR_A_GUARD));

    for (size_t i = 0; good && i < v.count && s->kind != KNEE_STAIRS && repeats(s); i++) {
        double from = i > 0 ? v.knees[i - 1].end : s->from, to = i + 1 < v.count ? v.knees[i + 1].low : s->reached;
        good = guard_between(s, from, v.knees[i].low, GUARDS_EXACT) &&
               guard_between(s, v.knees[i].end, to, GUARDS_EXACT);
    }
    return good;
}

/* Samples the points beside each knee again, later than the first time; a side that has few gets more. */
static bool again_beside(struct search *s, const struct knee *k)
{
    size_t first = 0, end;

    while (first + 1 < s->count && s->points[first + 1].x <= k->low)
        first++;
    for (end = first; end < s->count && s->points[end].x < k->high; end++)
        ;
    first = first > 1 ? first - 2 : 0;
    end = end + 3 < s->count ? end + 3 : s->count;
    for (size_t i = first; i < end; i++)
        if (!wait_for_quiet(s) || !take(s, s->points[i].x))
            return false;
    return true;
}

/*
 * Some x at which y differs by what a knee rises. Sampled in turn they show it again, while what lives in time, a
 * drift, another state of the core, a burst, raises all of them.
 */
struct contrast {
    unsigned count;
    double x[LOOKED_AT], weight[LOOKED_AT]; /* of y in the sum that differs */
};

/* The x of up to PAIR_POINTS points on one side of a knee, the nearest ones, that are on that side of half its height. */
static size_t points_beside(const struct search *s, const struct knee *k, bool above, double *x)
{
    double half = k->before + (k->after - k->before) / 2;
    size_t n = 0;

    for (size_t i = 0; i < s->count && n < PAIR_POINTS; i++) {
        const struct search_point *p = &s->points[above ? i : s->count - 1 - i];
        if (p->kept && (above ? p->x >= k->end && p->y > half : p->x <= k->low && p->y < half))
            x[n++] = p->x;
    }
    return n;
}

/* A step: points on either side of it. */
static size_t contrasts_of_step(const struct search *s, const struct knee *k, struct contrast *out)
{
    double x[2][PAIR_POINTS];
    size_t n[2] = {points_beside(s, k, false, x[0]), points_beside(s, k, true, x[1])}, count = 0;

    while (n[0] && n[1] && count < PAIR_POINTS) {
        out[count] = (struct contrast){2, {x[0][count % n[0]], x[1][count % n[1]]}, {-1, 1}};
        count++;
    }
    return count;
}

/* A bend: from where the line begins to the bend, and from there as far again or to the end, which is higher now. */
static size_t contrasts_of_bend(const struct search *s, const struct knee *k, struct contrast *out)
{
    double from[PAIR_POINTS], bend[PAIR_POINTS], to[PAIR_POINTS], far = fmin(k->end, 2 * k->low - s->from);
    size_t n[3] = {0}, count = 0;

    for (size_t i = 0; i < s->count; i++) {
        const struct search_point *p = &s->points[i], *q = &s->points[s->count - 1 - i];
        if (p->kept && p->x < k->low && n[0] < PAIR_POINTS)
            from[n[0]++] = p->x;
        if (q->kept && q->x <= k->low && n[1] < PAIR_POINTS)
            bend[n[1]++] = q->x;
        if (q->kept && q->x > k->high && q->x <= fmax(far, k->high + s->grain) && n[2] < PAIR_POINTS)
            to[n[2]++] = q->x;
    }
    while (n[0] && n[1] && n[2] && count < PAIR_POINTS) {
        double a = from[count % n[0]], b = bend[count % n[1]], c = to[count % n[2]];
        if (!(a < b))
            break;
        double leads = (c - b) / (b - a);
        out[count++] = (struct contrast){3, {a, b, c}, {leads, -1 - leads, 1}};
    }
    return count;
}

/* Stairs: points before and past a riser, of the first ones that some are beside. */
static size_t contrasts_of_stairs(const struct search *s, const struct knee *k, struct contrast *out)
{
    double half = (k->after - k->before) / 2;
    size_t count = 0;

    for (size_t i = 1; i < s->count && count < PAIR_POINTS; i++) {
        const struct search_point *p = &s->points[i];
        if (p->kept && p[-1].kept && p->y - p[-1].y > half && p->y - p[-1].y < 3 * half)
            out[count++] = (struct contrast){2, {p[-1].x, p->x}, {-1, 1}};
    }
    return count;
}

/* One more sample at x. NaN where it gave nothing. */
static bool take_one(struct search *s, double x, double *y)
{
    const struct search_point *p = place(s, x);
    unsigned kept = p ? p->kept : 0;

    if (!take(s, x))
        return false;
    p = place(s, x);
    *y = p->kept > kept ? p->sample[p->kept - 1] : (double)NAN;
    return true;
}

/* One more sample at each x of a contrast, the first one last each other time: what they differ by. */
static bool take_contrast(struct search *s, const struct contrast *c, bool backwards, double *differs)
{
    double y;

    *differs = 0;
    for (unsigned i = 0; i < c->count; i++) {
        unsigned at = backwards ? c->count - 1 - i : i;
        if (!take_one(s, c->x[at], &y))
            return false;
        *differs += c->weight[at] * y;
    }
    return true;
}

/* What it differed by so far. */
static double differed(struct search *s, const struct contrast *c)
{
    double sum = 0;

    for (unsigned i = 0; i < c->count; i++)
        sum += c->weight[i] * place(s, c->x[i])->y;
    return sum;
}

/*
 * Whether a rise is there at a later time, too. A contrast differs by more than half of what it differed by or it does
 * not; a sequential test of these signs ends when one kind leads by LEAD (Wald 1945: of a rise of four
 * deviations nine in ten are so, of none one in ten; 9^LEAD > 1000). What it ends
 * with is in *look.
 */
static bool in_pairs(struct search *s, const struct knee *k, enum look *look)
{
    struct contrast c[PAIR_POINTS];
    double half[PAIR_POINTS], differs;
    size_t n = (s->kind == KNEE_SLOPE    ? contrasts_of_bend
                : s->kind == KNEE_STAIRS ? contrasts_of_stairs
                                         : contrasts_of_step)(s, k, c);
    int lead = 0, enough = s->verdict.sigma > 0 ? LEAD : LEAD_EXACT;
    bool good = true;

    for (size_t i = 0; i < n; i++)
        half[i] = (s->kind == KNEE_SLOPE ? differed(s, &c[i]) : k->after - k->before) / 2;
    for (unsigned pair = 0; good && n && pair < PAIRS_MAXIMUM && lead < enough && lead > -enough; pair++) {
        good = take_contrast(s, &c[pair % n], pair % 2, &differs);
        if (good && !isnan(differs))
            lead += half[pair % n] > 0 && differs > half[pair % n] ? 1 : -1;
    }
    *look = lead >= enough ? CONFIRMED : lead <= -enough ? REFUTED : OPEN;
    return good;
}

/* Looks at each knee again. */
static bool confirm(struct search *s)
{
    const struct verdict v = s->verdict;

    s->look_count = 0;
    for (size_t i = 0; i < v.count; i++) {
        const struct knee *k = &v.knees[i];
        bool wide = k->high - k->low > 1.5 * s->grain || s->kind == KNEE_SLOPE;
        enum look look;
        if (!in_pairs(s, k, &look) || (wide && s->kind != KNEE_STAIRS && !again_beside(s, k)))
            return false;
        s->looks[s->look_count++] = (struct look_again){.low = k->low, .high = k->high, .look = look};
    }
    return true;
}

/* What came of looking again at a knee, or at one that shares some of its interval; the best of that. */
static enum look looked(const struct search *s, const struct knee *k)
{
    enum look best = OPEN;

    for (size_t i = 0; i < s->look_count; i++)
        if (s->looks[i].low < k->high && k->low < s->looks[i].high && (best == OPEN || s->looks[i].look == CONFIRMED))
            best = s->looks[i].look;
    return best;
}

/*
 * The levels on either side of what was no knee are one: as it is described where it is longer, but that it grows by what
 * lies between them. Else a knee that was wrongly refuted would have made one level's height another's.
 */
static struct knee_level merge(const struct knee_level *before, const struct knee_level *after)
{
    struct knee_level l = after->to - after->from > before->to - before->from ? *after : *before;

    l.from = before->from;
    l.to = after->to;
    l.slope = before->height > 0 ? after->height / before->height - 1 : l.slope;
    return l;
}

/* Knees that were not there any more are none; those that stayed open are not agreed. */
static void conclude(struct search *s)
{
    struct verdict *v = &s->verdict;
    size_t kept = 0;

    for (size_t i = 0; i < v->count; i++) {
        struct knee *k = &v->knees[i];
        enum look look = looked(s, k);
        k->agreed = k->agreed && look == CONFIRMED;
        k->half_agreed = k->half_agreed && look == CONFIRMED;
        if (look == REFUTED) {
            v->levels[kept] = merge(&v->levels[kept], &v->levels[i + 1]);
            continue;
        }
        v->knees[kept++] = *k;
        v->levels[kept] = v->levels[i + 1];
    }
    if (kept < v->count) {
        v->level_count = kept + 1;
        v->count = kept;
        v->reason = kept ? NULL : "ambiguous";
    }
}

/* Octave by octave, while nothing has been found or the curve ends in a rise. */
static bool extend(struct search *s)
{
    while (s->reached < s->limit) {
        if (!decide(s, false))
            return false;
        const struct verdict *v = &s->verdict;
        double end = v->count ? v->knees[v->count - 1].end : INFINITY;
        size_t after = points_within(s, end - s->grain / 2, INFINITY);
        if (after >= POINTS_AFTER)
            break;
        double from = s->reached, to = s->per_octave ? 2 * from : from + to_grain(s, (s->to - s->from) / 2);
        to = fmin(floor(s->limit / s->grain) * s->grain, fmax(to, from + s->grain));
        if (!(to > from))
            break;
        if (!walk(s, from, to))
            return false;
    }
    return true;
}

/* Whether each knee is within an interval that was looked at. */
static bool are_where_looked(const struct search *s)
{
    for (size_t i = 0; i < s->verdict.count; i++) {
        const struct knee *k = &s->verdict.knees[i];
        bool within = false;
        for (size_t l = 0; l < s->look_count && !within; l++)
            within = s->looks[l].low <= k->low && k->high <= s->looks[l].high;
        if (!within)
            return false;
    }
    return true;
}

bool search_run(struct search *s)
{
    const unsigned reserved = s->budget / RESERVED_OF_BUDGET < RESERVED ? s->budget / RESERVED_OF_BUDGET : RESERVED;

    s->share = UINT_MAX;
    s->reserved = reserved;
    bool good = walk(s, s->from, s->to) && extend(s) && narrow(s) && guard(s) && confirm(s), spent = s->spent;

    /* Whatever has become of the budget: what is told is looked at, and again where that has moved it. */
    for (unsigned n = 0; n < LOOKS_MAXIMUM; n++) {
        s->reserved = reserved;
        good = good && settle(s) && narrow(s);
        spent = spent || s->spent;
        s->reserved = 0;
        s->share = UINT_MAX;
        s->spent = false;
        good = (good || spent) && decide(s, true) && (confirm(s) || s->spent) && decide(s, true);
        if (!good || spent || s->spent || are_where_looked(s))
            break;
    }
    s->spent = s->spent || spent;
    s->grid = floor((s->reached - s->from) / s->grain + 1.5);
    if (good)
        conclude(s);
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
