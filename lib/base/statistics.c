#include "lib/base/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* NaN goes last, so that it never stands between numbers. */
static bool after(double a, double b)
{
    return !(a <= b) && !isnan(b);
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return after(a, b) - after(b, a);
}

/*
 * Up to FEW numbers are sorted by insertion, far ones first where there are more than ADJACENT (Shell's sort; gaps by
 * Ciura 2001): medians of a few neighbours are taken at every point of a curve. Each pass takes as long as one over
 * sorted numbers even where it moves nothing, and most points of a level are equal. Chosen by instructions executed
 * by the probe `registers` on a simulated core.
 */
enum { FEW = 64, ADJACENT = 32 };
static const size_t gaps[] = {23, 10, 4, 1};

static void insert_all(double *values, size_t count, size_t gap)
{
    for (size_t i = gap; i < count; i++) {
        const double value = values[i];
        size_t k = i;
        if (isnan(value)) /* behind all of them */
            continue;
        for (; k >= gap && !(values[k - gap] <= value); k -= gap)
            values[k] = values[k - gap];
        values[k] = value;
    }
}

void sort_numbers(double *values, size_t count)
{
    if (count > FEW) {
        qsort(values, count, sizeof values[0], compare_numbers);
    } else if (count > ADJACENT) {
        for (size_t n = 0; n < sizeof gaps / sizeof gaps[0]; n++)
            insert_all(values, count, gaps[n]);
    } else {
        insert_all(values, count, 1);
    }
}

double quantile(const double *sorted, size_t count, double q)
{
    if (count == 0 || isnan(q))
        return (double)NAN;
    if (!(q > 0))
        return sorted[0];
    if (!(q < 1))
        return sorted[count - 1];

    double position = q * (double)(count - 1);
    size_t below = (size_t)position;
    double fraction = position - (double)below;

    /* Exactly on a sample: its neighbour, which may be infinite, does not count. */
    if (!(fraction > 0))
        return sorted[below];
    return sorted[below] + fraction * (sorted[below + 1] - sorted[below]);
}

void median_bounds(const double *sorted, size_t count, double *low, double *high)
{
    double exactly = 1, fewer = 0; /* probability that `outside` numbers, or fewer, are below the median */
    size_t outside = 0;

    for (size_t i = 0; i < count; i++)
        exactly /= 2;
    for (; outside < count / 2 && 2 * (fewer + exactly) <= MEDIAN_OUTSIDE; outside++) {
        fewer += exactly;
        exactly *= (double)(count - outside) / (double)(outside + 1);
    }
    *low = outside ? sorted[outside - 1] : (double)NAN;
    *high = outside ? sorted[count - outside] : (double)NAN;
}

double least_confirmed(const double *sorted, size_t count, double part)
{
    enum { OTHERS = 2 };

    for (size_t i = 0; i + OTHERS < count; i++)
        if (sorted[i + OTHERS] <= sorted[i] * (1 + part))
            return sorted[i];
    return (double)NAN;
}

double median(double *values, size_t count)
{
    sort_numbers(values, count);
    return quantile(values, count, 0.5);
}

struct spread spread_of(const double *values, size_t count)
{
    struct spread s = {.count = count, .mean = NAN, .sigma = NAN, .least = INFINITY, .most = -INFINITY};
    double sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        s.least = fmin(s.least, values[i]);
        s.most = fmax(s.most, values[i]);
    }
    if (count)
        s.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - s.mean) * (values[i] - s.mean);
    if (count > 1)
        s.sigma = sqrt(squares / (double)(count - 1));
    return s;
}
