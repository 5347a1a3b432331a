#include "lib/plateau.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/statistics.h"

enum { PARTS_MAXIMUM = 48, PLATEAU_POINTS = 3 };

/* Pettitt 1979: the chance of a maximum of K or more among n points is about 2 exp(-6 K^2 / (n^3 + n^2)). For one in
 * 200, 6 K^2 exceeds ln(400) = 6 times the rest. A cut costs little here: plateaus of one height are joined again. */
static const double PETTITT = 6;

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

struct part {
    size_t first, end;
    bool whole; /* no cut in it */
};

struct ranked {
    double y;
    size_t at;
};

static int by_height(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    return a->y < b->y || a->y > b->y ? (a->y > b->y) - (a->y < b->y) : (a->at > b->at) - (a->at < b->at);
}

/* Where Pettitt's statistic is largest in a part; 0 where that is chance. `ranks` has room for 2 * count. */
static size_t pettitt(const double *y, size_t first, size_t end, struct ranked *order, double *ranks)
{
    size_t n = end - first, best = 0;
    double u = 0, most = 0;

    for (size_t i = 0; i < n; i++)
        order[i] = (struct ranked){y[first + i], i};
    qsort(order, n, sizeof *order, by_height);
    for (size_t i = 0, next; i < n; i = next) { /* equal heights share the mean of their ranks */
        for (next = i + 1; next < n && !(order[next].y > order[i].y); next++)
            ;
        for (size_t k = i; k < next; k++)
            ranks[order[k].at] = ((double)i + (double)next + 1) / 2;
    }
    for (size_t i = 0; i + 1 < n; i++) {
        u += 2 * ranks[i] - (double)n - 1;
        if (fabs(u) > most) {
            most = fabs(u);
            best = first + i + 1;
        }
    }
    double size = (double)n;
    return 6 * most * most > PETTITT * (size * size * size + size * size) ? best : 0;
}

static double median_of(const double *y, size_t first, size_t end, double *scratch)
{
    memcpy(scratch, y + first, (end - first) * sizeof *y);
    sort_numbers(scratch, end - first);
    return quantile(scratch, end - first, 0.5);
}

/* The x at which the isotonic curve passes a height between points first … last. */
static double passes(const double *x, const double *y, size_t first, size_t last, double height)
{
    size_t i = first;

    while (i < last && !(y[i - first] > height))
        i++;
    if (i == first)
        return x[first];
    double low = y[i - 1 - first], high = y[i - first];
    return high > low ? x[i - 1] + (x[i] - x[i - 1]) * fmax(0, fmin(1, (height - low) / (high - low))) : x[i];
}

/* Follows the rise from a plateau that ends before `from` to one that begins at `to`. */
static bool follow(const double *x, const double *y, size_t first, size_t last, double low, double high,
                   double *scratch, struct departure *out)
{
    memcpy(scratch, y + first, (last - first + 1) * sizeof *y);
    if (!isotonic(scratch, last - first + 1))
        return false;
    size_t quarter = first, half = first;
    while (quarter < last && !(scratch[quarter - first] > low + (high - low) / 4))
        quarter++;
    while (half < last && !(scratch[half - first] > low + (high - low) / 2))
        half++;
    out->half = passes(x, scratch, first, last, low + (high - low) / 2);
    if (quarter == half) { /* a step: between the point before and this one */
        out->low = x[quarter > first ? quarter - 1 : quarter];
        out->high = x[quarter];
        return true;
    }
    double x25 = passes(x, scratch, first, last, low + (high - low) / 4), begin = fmax(x[first], 2 * x25 - out->half);
    size_t i = first;
    while (i < last && x[i + 1] <= begin)
        i++;
    out->low = x[i];
    out->high = x[i < last ? i + 1 : i];
    return true;
}

size_t plateau_departures(const double *x, const double *y, size_t count, struct departure *out, size_t room)
{
    struct ranked *order = malloc((count + 1) * sizeof *order);
    double *scratch = malloc((count + 1) * sizeof *scratch), heights[PARTS_MAXIMUM + 1];
    struct part parts[PARTS_MAXIMUM + 1] = {{0, count, count < 2 * PLATEAU_POINTS}};
    size_t used = 1, found = 0;

    for (size_t i = 0; order && scratch && i < used && count > 0;) {
        size_t cut = parts[i].whole || used >= PARTS_MAXIMUM ? 0
                                                             : pettitt(y, parts[i].first, parts[i].end, order, scratch);
        if (!cut) {
            i++;
            continue;
        }
        memmove(&parts[i + 2], &parts[i + 1], (used - i - 1) * sizeof *parts);
        parts[i + 1] = (struct part){cut, parts[i].end, false};
        parts[i].end = cut;
        used++;
    }
    if (!order || !scratch)
        found = (size_t)-1;
    else {
        /* Plateaus, and the noise: neighbours differ by it, but for a few steps. */
        size_t plateaus = 0, n = 0;
        for (size_t i = 1; i < count; i++)
            scratch[n++] = fabs(y[i] - y[i - 1]);
        sort_numbers(scratch, n);
        double noise = n ? 1.4826 * quantile(scratch, n, 0.5) / sqrt(2) : 0;
        for (size_t i = 0; i < used; i++) {
            size_t points = parts[i].end - parts[i].first;
            if (points < PLATEAU_POINTS && i > 0 && i + 1 < used)
                continue;
            double height = median_of(y, parts[i].first, parts[i].end, scratch);
            if (plateaus > 0 && fabs(height - heights[plateaus - 1]) <= 2 * noise) {
                parts[plateaus - 1].end = parts[i].end;
            } else {
                heights[plateaus] = height;
                parts[plateaus++] = parts[i];
            }
        }
        /* A rise counts where all that follows stays higher. */
        for (size_t i = 0; i + 1 < plateaus && found < room; i++) {
            bool good = true;
            for (size_t k = i + 1; k < plateaus; k++)
                good = good && heights[k] > heights[i] + 2 * noise;
            if (good &&
                follow(x, y, parts[i].first, parts[i + 1].end - 1, heights[i], heights[i + 1], scratch, &out[found]))
                found++;
        }
    }
    free(order);
    free(scratch);
    return found;
}
