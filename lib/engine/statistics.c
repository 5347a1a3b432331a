#include "lib/engine/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* NaN goes last, so that what is not a number never stands between numbers. */
static bool after(double a, double b)
{
    return isnan(a) ? !isnan(b) : a > b;
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return after(a, b) - after(b, a);
}

/* Up to so many are sorted by insertion: medians of a few neighbours are taken at every point of a curve. */
enum { FEW = 64 };

void sort_numbers(double *values, size_t count)
{
    if (count > FEW) {
        qsort(values, count, sizeof values[0], compare_numbers);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        double value = values[i];
        size_t k = i;
        for (; k > 0 && after(values[k - 1], value); k--)
            values[k] = values[k - 1];
        values[k] = value;
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

    /* On a sample exactly, also where its neighbour is infinite. */
    if (!(fraction > 0))
        return sorted[below];
    return sorted[below] + fraction * (sorted[below + 1] - sorted[below]);
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

/* Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014, figure 17. */
double rounded(double value)
{
    if (!isfinite(value) || !(fabs(value) < 1e12))
        return value;
    return (value < 0 ? -1 : 1) * floor(fabs(value) * 1e4 + 0.5) / 1e4;
}

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* Lemire: Fast random integer generation in an interval, ACM TOMACS 29(1), 2019, without the rejection. */
uint64_t random_below(uint64_t *state, uint64_t bound)
{
    return (uint64_t)(((unsigned __int128)random_next(state) * bound) >> 64);
}

/* Sattolo: An algorithm to generate a random cyclic permutation, Inf. Process. Lett. 22(6), 1986. */
void random_cycle(uint32_t *next, uint32_t count, uint64_t *state)
{
    for (uint32_t i = 0; i < count; i++)
        next[i] = i;
    /* Shuffling with any element below, never with itself, is what leaves one single cycle. */
    for (uint32_t i = count; i-- > 1;) {
        uint32_t j = (uint32_t)random_below(state, i);
        uint32_t swapped = next[i];

        next[i] = next[j];
        next[j] = swapped;
    }
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
