/* Order statistics. Only + - * /, sqrt and comparisons: every build gives the same bits. */
#ifndef FATHOM_LIB_BASE_STATISTICS_H
#define FATHOM_LIB_BASE_STATISTICS_H

#include <stddef.h>

/* Standard deviation of a normal sample over its median absolute deviation: 1 / 0.6745 (Rousseeuw, Croux: JASA 88,
 * 1993). */
static const double MAD_TO_SIGMA = 1.4826;
/* Nine in ten of a normal sample lie within this many standard deviations of its mean. */
static const double NORMAL_90 = 1.645;

/* Sorts ascending, in place; NaN goes last. */
void sort_numbers(double *values, size_t count);
/* Sorts the values, none of them NaN, and returns their median; NaN when there are none. */
double median(double *values, size_t count);
/* Quantile q in 0 … 1 of sorted values, linear between neighbours; NaN when there are none. */
double quantile(const double *sorted, size_t count, double q);
/*
 * Probability at most that the bounds of median_bounds do not contain the median of the distribution. Chosen: the
 * median of a second sample, which scatters as well, is then outside with a probability of 0.016 at most (for 15 to 75
 * values), so that two runs hardly ever contradict each other.
 */
static const double MEDIAN_OUTSIDE = 0.001;
/*
 * Confidence interval for the median of the distribution of which the sorted numbers are a sample: two of these
 * numbers, whatever the distribution is, since each number is below that median with probability 1/2. Both bounds are
 * NaN where there are 10 numbers or fewer. Source: David, Nagaraja, Order Statistics, 7.1.
 */
void median_bounds(const double *sorted, size_t count, double *low, double *high);

/*
 * The least of sorted values that two others confirm, because they exceed it by at most `part` of it; NaN where there
 * is none. If one quantity was measured at several moments, this is its undisturbed value: some cores slow wide or
 * fast operations down for milliseconds at a time, and nothing makes them faster, but a single low value may be an
 * error.
 */
double least_confirmed(const double *sorted, size_t count, double part);

/*
 * Mean, standard deviation (of the sample; NaN of fewer than two), least and largest of some numbers. Of none: NaN,
 * infinity and minus infinity.
 */
struct spread {
    size_t count;
    double mean, sigma, least, most;
};
struct spread spread_of(const double *values, size_t count);

#endif
