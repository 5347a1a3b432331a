#include "lib/engine/plateau.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/engine/statistics.h"

enum {
    REACH = 20,  /* neighbours on either side that tell how noisy it is here */
    MEMORY = 48, /* the last points of a plateau that tell its height */
    LOOKOUT = 6, /* points ahead, of which all but one have to be higher (methods 16.2, D) */
    STEADY = 4   /* points of a plateau at least */
};

/* Above a plateau by so many deviations is above it. */
static const double ABOVE = 2;
static const double MAD_TO_SIGMA = 1.4826;

bool isotonic(double *y, size_t count)
{
    struct block {
        double sum;
        size_t count;
    } *blocks = malloc((count + 1) * sizeof *blocks);
    size_t used = 0, at = 0;

    if (!blocks)
        return false;
    for (size_t i = 0; i < count; i++) {
        blocks[used++] = (struct block){y[i], 1};
        while (used > 1 && blocks[used - 2].sum / (double)blocks[used - 2].count >=
                               blocks[used - 1].sum / (double)blocks[used - 1].count) {
            blocks[used - 2].sum += blocks[used - 1].sum;
            blocks[used - 2].count += blocks[used - 1].count;
            used--;
        }
    }
    for (size_t b = 0; b < used; b++)
        for (size_t k = 0; k < blocks[b].count; k++)
            y[at++] = blocks[b].sum / (double)blocks[b].count;
    free(blocks);
    return true;
}

/* Median of first … end - 1, of the last MEMORY of them where there are more. */
static double height(const double *y, size_t first, size_t end)
{
    double sorted[MEMORY];

    if (end - first > MEMORY)
        first = end - MEMORY;
    memcpy(sorted, y + first, (end - first) * sizeof *y);
    sort_numbers(sorted, end - first);
    return quantile(sorted, end - first, 0.5);
}

/* Deviation of a point, as its neighbourhood tells: steps are few among differences. */
static double noise_near(const double *y, size_t count, size_t i)
{
    double sorted[2 * REACH + 1];
    size_t n = 0;

    for (size_t k = i > REACH ? i - REACH : 1; k <= i + REACH && k < count; k++)
        sorted[n++] = fabs(y[k] - y[k - 1]);
    sort_numbers(sorted, n);
    return n ? MAD_TO_SIGMA / sqrt(2) * quantile(sorted, n, 0.5) : 0;
}

/* Whether the points from i on are above a level: the first, all but one of the next, and by half of that the rest. */
static bool above(const double *y, size_t count, size_t i, double level, double noise, const double *rest)
{
    size_t ahead = count - i < LOOKOUT ? count - i : LOOKOUT, higher = 0;

    for (size_t k = i; k < i + ahead; k++)
        higher += y[k] > level + noise;
    return ahead >= 2 && y[i] > level + noise && higher + (ahead > 3) >= ahead && rest[i] > level + noise / 2;
}

/*
 * Whether y still rises at point i: its next two points are higher, or it creeps up over three times as many. A short
 * plateau before a jump does neither.
 */
static bool rising(const double *y, size_t count, size_t i, double noise)
{
    if (i + STEADY > count)
        return false;
    if (height(y, i + STEADY / 2, i + STEADY) > height(y, i, i + STEADY / 2) + noise / 2)
        return true;
    if (i + 3 * STEADY > count)
        return false;
    double first = height(y, i, i + STEADY), second = height(y, i + STEADY, i + 2 * STEADY);
    double third = height(y, i + 2 * STEADY, i + 3 * STEADY), part = (third - first) / 4;
    return third > first + noise / 2 && second > first + part && third > second + part;
}

/* rest[i]: below it lie few of the points from i on; the median of the next ones, then the least of such medians. */
static void look_back(const double *y, size_t count, double *rest)
{
    for (size_t i = count; i-- > 0;) {
        double next = height(y, i, i + 2 * LOOKOUT < count ? i + 2 * LOOKOUT : count);
        rest[i] = i + 1 < count && i + LOOKOUT < count ? fmin(next, rest[i + 1]) : next;
    }
}

/* The x at which the isotonic curve z of points first … last passes a height. */
static double passes(const double *x, const double *z, size_t first, size_t last, double level)
{
    size_t i = first;

    while (i < last && !(z[i - first] > level))
        i++;
    if (i == first)
        return x[first];
    double low = z[i - 1 - first], high = z[i - first];
    return high > low ? x[i - 1] + (x[i] - x[i - 1]) * fmax(0, fmin(1, (level - low) / (high - low))) : x[i];
}

/* Follows the rise back from point `last`, where the next plateau has begun, to where it began after `first`. */
static bool follow(const double *x, const double *y, size_t first, size_t last, double low, double high, double noise,
                   double *z, struct departure *out)
{
    memcpy(z, y + first, (last - first + 1) * sizeof *y);
    if (!isotonic(z, last - first + 1))
        return false;
    double quarter = passes(x, z, first, last, low + (high - low) / 4);
    out->half = passes(x, z, first, last, low + (high - low) / 2);
    size_t from = first, i = first;
    while (from + 1 < last && x[from + 1] <= quarter)
        from++;
    while (i + 1 < last && x[i + 1] <= out->half)
        i++;
    out->begin = x[i];
    if (i > from && high - low > 2 * noise) { /* it takes more than a step, and more than noise around one does */
        out->begin = fmax(x[first], 2 * quarter - out->half);
        double foot = out->begin, most = noise * (quarter - foot) / ((high - low) / 4);
        for (i = first; i + 1 < last && x[i + 1] <= foot; i++)
            ;
        /* a point that is not above the noise, where a straight rise would be by now, is before it */
        for (size_t k = i + 1; k < last && z[k - first] <= low + noise / 2; k++)
            if (x[k] - foot > most) {
                i = k;
                out->begin = x[k];
            }
    }
    out->low = x[i];
    out->high = x[i + 1];
    out->first = first;
    out->last = last;
    out->before = low;
    out->after = high;
    return true;
}

size_t plateau_departures(const double *x, const double *y, size_t count, struct departure *out, size_t room)
{
    double *scratch = malloc((count + 1) * sizeof *scratch), *rest = malloc((count + 1) * sizeof *rest);
    size_t found = 0, start = 0;
    bool good = scratch && rest;

    if (good)
        look_back(y, count, rest);
    for (size_t i = 0; good && i + 1 < count && found < room; i++) {
        double level = height(y, start, i + 1), noise = ABOVE * noise_near(y, count, i + 1);
        if (i < start + 1 || !above(y, count, i + 1, level, noise, rest)) /* one point is no plateau */
            continue;
        size_t next = i + 1;
        while (rising(y, count, next, noise))
            next++;
        size_t end = next + STEADY < count ? next + STEADY : count, reach = LOOKOUT + 2 * (next - i - 1);
        size_t first = i > start + reach ? i - reach : start;
        good = follow(x, y, first, end - 1, level, height(y, next, end), noise, scratch, &out[found]);
        out[found].end = x[next];
        found += good;
        start = next;
        i = next - 1;
    }
    free(scratch);
    free(rest);
    return good ? found : (size_t)-1;
}

double plateau_half(const double *x, const double *y, const struct departure *departures, size_t count)
{
    size_t first = departures[0].first, last = departures[count - 1].last;
    double low = departures[0].before, high = departures[count - 1].after, half = (double)NAN;
    double *z = malloc((last - first + 1) * sizeof *z);

    if (z) {
        memcpy(z, y + first, (last - first + 1) * sizeof *y);
        if (isotonic(z, last - first + 1))
            half = passes(x, z, first, last, low + (high - low) / 2);
    }
    free(z);
    return half;
}
