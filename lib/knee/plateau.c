#include "lib/knee/plateau.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/statistics.h"
#include "lib/knee/tolerances.h"

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

/* Median of y[first … end - 1], of the last PLATEAU_MEMORY where there are more. */
static double height(const double *y, size_t first, size_t end)
{
    double sorted[PLATEAU_MEMORY];

    if (end - first > PLATEAU_MEMORY)
        first = end - PLATEAU_MEMORY;
    memcpy(sorted, y + first, (end - first) * sizeof *y);
    sort_numbers(sorted, end - first);
    return quantile(sorted, end - first, 0.5);
}

/* Deviation of a point of first … end - 1 near i, from the differences of neighbours: few of these are steps. */
static double noise_near(const double *y, size_t first, size_t end, size_t i)
{
    double sorted[2 * PLATEAU_NOISE_REACH + 1];
    size_t n = 0;

    for (size_t k = i > PLATEAU_NOISE_REACH + first ? i - PLATEAU_NOISE_REACH : first + 1;
         k <= i + PLATEAU_NOISE_REACH && k < end; k++)
        sorted[n++] = fabs(y[k] - y[k - 1]);
    sort_numbers(sorted, n);
    return n ? MAD_TO_SIGMA / sqrt(2) * quantile(sorted, n, 0.5) : 0;
}

/*
 * Whether y is above a level from point i on: point i and all but one of the LOOK_AHEAD points from it on by `noise`,
 * rest[i] (find_rests) by half of that.
 */
static bool is_above(const double *y, size_t count, size_t i, double level, double noise, const double *rest)
{
    size_t ahead = count - i < LOOK_AHEAD ? count - i : LOOK_AHEAD, higher = 0;

    for (size_t k = i; k < i + ahead; k++)
        higher += y[k] > level + noise;
    return ahead >= 2 && y[i] > level + noise && higher + (ahead > 3) >= ahead && rest[i] > level + noise / 2;
}

/*
 * Whether y still rises at point i: points i + 2 and i + 3 are higher than points i and i + 1, or y creeps up by about
 * equal parts over three times PLATEAU_POINTS points. A short plateau before a jump does neither, and where two points
 * are as high and the third one far above them, they are such a plateau.
 */
static bool is_rising(const double *y, size_t count, size_t i, double noise)
{
    if (i + PLATEAU_POINTS > count)
        return false;
    double apart = fabs(y[i + 1] - y[i]), jump = y[i + 2] - fmax(y[i], y[i + 1]);
    if (apart <= noise && jump > FAR_ABOVE * noise && jump > JUMP_BEHIND * apart)
        return false;
    if (height(y, i + PLATEAU_POINTS / 2, i + PLATEAU_POINTS) > height(y, i, i + PLATEAU_POINTS / 2) + noise / 2)
        return true;
    if (i + 3 * PLATEAU_POINTS > count)
        return false;
    double first = height(y, i, i + PLATEAU_POINTS), second = height(y, i + PLATEAU_POINTS, i + 2 * PLATEAU_POINTS);
    double third = height(y, i + 2 * PLATEAU_POINTS, i + 3 * PLATEAU_POINTS), part = (third - first) / 4;
    return third > first + noise / 2 && second > first + part && third > second + part;
}

/* rest[i]: a height below which few points from i on lie: the least median of 2 LOOK_AHEAD points from i on. */
static void find_rests(const double *y, size_t count, double *rest)
{
    for (size_t i = count; i-- > 0;) {
        double next = height(y, i, i + 2 * LOOK_AHEAD < count ? i + 2 * LOOK_AHEAD : count);
        rest[i] = i + 1 < count && i + LOOK_AHEAD < count ? fmin(next, rest[i + 1]) : next;
    }
}

/* The x at which the isotonic curve z of points first … last exceeds a height. */
static double passes_at(const double *x, const double *z, size_t first, size_t last, double level)
{
    size_t i = first;

    while (i < last && !(z[i - first] > level))
        i++;
    if (i == first)
        return x[first];
    double low = z[i - 1 - first], high = z[i - first];
    return high > low ? x[i - 1] + (x[i] - x[i - 1]) * fmax(0, fmin(1, (level - low) / (high - low))) : x[i];
}

/* Follows a rise back from point `last`, on the next plateau, to where it begins behind `first`, between the heights
 * low and high of the plateaus. Fills in all of *out but its end. False when memory is short. */
static bool follow_back(const double *x, const double *y, size_t first, size_t last, double low, double high,
                        double noise, double *z, struct departure *out)
{
    memcpy(z, y + first, (last - first + 1) * sizeof *y);
    if (!isotonic(z, last - first + 1))
        return false;
    /* where the plateau falls, its first points are above its median: z has their mean */
    const double plateau = fmax(low, z[0]);
    double quarter = passes_at(x, z, first, last, low + (high - low) / 4);
    out->half_rise = passes_at(x, z, first, last, low + (high - low) / 2);
    size_t from = first, i = first;
    while (from + 1 < last && x[from + 1] <= quarter)
        from++;
    while (i + 1 < last && x[i + 1] <= out->half_rise)
        i++;
    out->begin = x[i];
    if (i > from && high - low > 2 * noise) { /* a ramp, and not only noise around a step */
        out->begin = fmax(x[first], 2 * quarter - out->half_rise);
        double foot = out->begin, most = noise * (quarter - foot) / ((high - low) / 4);
        for (i = first; i + 1 < last && x[i + 1] <= foot; i++)
            ;
        /* a point within the noise of the plateau, where a straight rise would have left it, is before the rise */
        for (size_t k = i + 1; k < last && z[k - first] <= plateau + noise; k++)
            if (x[k] - foot > most) {
                i = k;
                out->begin = x[k];
            }
    }
    /* whatever shape the rise has, it begins before the first point that is far above the plateau, and stays there */
    for (size_t k = first + 1; k <= i; k++)
        if (z[k - first] > plateau + FAR_ABOVE * noise) {
            i = k - 1;
            out->begin = fmin(out->begin, x[i]);
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
        find_rests(y, count, rest);
    for (size_t i = 0; good && i + 1 < count && found < room; i++) {
        double level = height(y, start, i + 1), noise = ABOVE * noise_near(y, 0, count, i + 1);
        if (i < start + 1 || !is_above(y, count, i + 1, level, noise, rest)) /* one point is no plateau */
            continue;
        size_t next = i + 1;
        while (is_rising(y, count, next, noise))
            next++;
        size_t end = next + PLATEAU_POINTS < count ? next + PLATEAU_POINTS : count,
               reach = LOOK_AHEAD + 2 * (next - i - 1);
        size_t first = i > start + reach ? i - reach : start;
        /* a rise is not noise: the plateau's own points say how far one must be off it */
        double quiet = i > start + PLATEAU_POINTS ? ABOVE * noise_near(y, start, i + 1, i) : 0;
        good = follow_back(x, y, first, end - 1, level, height(y, next, end), quiet > 0 ? fmin(quiet, noise) : noise,
                           scratch, &out[found]);
        out[found].end = fmax(x[next], out[found].high);
        found += good;
        start = next;
        i = next - 1;
    }
    free(scratch);
    free(rest);
    return good ? found : (size_t)-1;
}

bool plateau_half_rise(const double *x, const double *y, const struct departure *departures, size_t count, double *half)
{
    size_t first = departures[0].first, last = departures[count - 1].last;
    double low = departures[0].before, high = departures[count - 1].after;
    double *z = malloc((last - first + 1) * sizeof *z);
    bool good = z != NULL;

    if (good) {
        memcpy(z, y + first, (last - first + 1) * sizeof *y);
        good = isotonic(z, last - first + 1);
    }
    if (good)
        *half = passes_at(x, z, first, last, low + (high - low) / 2);
    free(z);
    return good;
}

/* The greatest change between neighbours of y[first … end - 1]. */
static double greatest_change(const double *y, size_t first, size_t end)
{
    double most = 0;

    for (size_t i = first + 1; i < end; i++)
        most = fmax(most, fabs(y[i] - y[i - 1]));
    return most;
}

bool plateau_jump(const double *y, size_t count, size_t at)
{
    size_t first = at + 1 > LOOK_AHEAD ? at + 1 - LOOK_AHEAD : 0;
    size_t end = at + 1 + LOOK_AHEAD < count ? at + 1 + LOOK_AHEAD : count;
    double before = -INFINITY, after = INFINITY;

    if (at - first < PLATEAU_POINTS - 1 || at + 2 >= end)
        return false;
    for (size_t i = first; i <= at; i++)
        before = fmax(before, y[i]);
    for (size_t i = at + 1; i < end; i++)
        after = fmin(after, y[i]);
    double change = fmax(greatest_change(y, first, at + 1), greatest_change(y, at + 1, end));
    return after - before > 0 && after - before > JUMP_OVER * change;
}
