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
 * Standard error of the median of sorted numbers, by their quartiles, which single far values do not move. For a normal
 * distribution: sqrt(pi / 2) times the error of the mean, with quartiles 1.349 standard deviations apart.
 */
double median_error(const double *sorted, size_t count);

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
