/* Order statistics. Only + - * /, sqrt and comparisons: every build gives the same bits. */
#ifndef FATHOM_LIB_BASE_STATISTICS_H
#define FATHOM_LIB_BASE_STATISTICS_H

#include <stddef.h>

/* Standard deviation of a normal sample over its median absolute deviation: 1 / 0.6745 (Rousseeuw, Croux: JASA 88,
 * 1993). */
static const double MAD_TO_SIGMA = 1.4826;
/* Nine in ten of a normal sample lie within this many standard deviations of its mean. */
static const double NORMAL_90 = 1.645;

/* Sorts the numbers ascending, in place; NaN goes last. */
void sort_numbers(double *values, size_t count);
/* Sorts the values, none of which may be NaN, in place, and returns their median; NaN when there are none. */
double median(double *values, size_t count);
/*
 * Quantile q, from 0 to 1, of values sorted ascending, interpolated linearly between neighbours; NaN when there are
 * none.
 */
double quantile(const double *sorted, size_t count, double q);
/*
 * Probability at most that the bounds of median_bounds do not contain the median of the distribution. Chosen: the
 * median of a second sample, which scatters as well, is then outside with a probability of 0.016 at most (for 15 to 75
 * values), so that two runs hardly ever contradict each other.
 */
static const double MEDIAN_OUTSIDE = 0.001;
/*
 * Sets *low and *high to a confidence interval for the median of the distribution of which the sorted numbers are a
 * sample: it contains that median with a probability of 1 - MEDIAN_OUTSIDE at least. Both bounds are numbers of the
 * sample. The distribution does not matter, since each number lies below its median with probability 1/2. Both are NaN
 * for 10 numbers or fewer; `count` is at most 1000, since 2^-count must be a normal double. Source: David, Nagaraja,
 * Order Statistics, 7.1.
 */
void median_bounds(const double *sorted, size_t count, double *low, double *high);

/*
 * The least of the values, sorted ascending, that two others confirm, because they exceed it by at most `part` of it;
 * NaN where there is none. If one quantity was measured at several moments, this is its undisturbed value: some cores
 * slow wide or fast operations down for milliseconds at a time, and nothing makes them faster, but a single low value
 * may be an error.
 */
double least_confirmed(const double *sorted, size_t count, double part);

/*
 * Mean, standard deviation of the sample, least and largest of `count` numbers. `sigma` is NaN for fewer than two; for
 * none the mean is NaN, `least` infinity and `most` minus infinity.
 */
struct spread {
    size_t count;
    double mean, sigma, least, most;
};
/* Computes mean, standard deviation, least and largest of `count` numbers, in any order, none of them NaN. */
struct spread spread_of(const double *values, size_t count);

#endif
