/* Order statistics of readings. Only + - * / and comparisons: every build gives the same bits. */
#ifndef FATHOM_LIB_ENGINE_STATISTICS_H
#define FATHOM_LIB_ENGINE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/* Sorts ascending, in place. */
void sort_numbers(double *values, size_t count);
/* Sorts the values, none of them NaN, and returns the middle one. */
double median(double *values, size_t count);
/* Quantile q in 0 … 1 of sorted values, linear between neighbours; NaN when there are none. */
double quantile(const double *sorted, size_t count, double q);

/*
 * What nothing slows, of one quantity taken at several moments: the least of sorted values that two others lie above by
 * this part of it at most. Some cores slow what is wide or fast down for milliseconds at a time, and nothing makes it
 * faster; a value that no other comes near was told wrongly. NaN where there is none such.
 */
double least_confirmed(const double *sorted, size_t count, double part);

/* To the four decimals that records carry; times and cycles are not known better. */
double rounded(double value);

/* SplitMix64 (Steele, Lea, Flood 2014): small, and the same sequence everywhere. */
uint64_t random_next(uint64_t *state);
/* Uniform in 0 … bound - 1, bound > 0, without modulo bias worth speaking of (Lemire 2019, multiply-shift). */
uint64_t random_below(uint64_t *state, uint64_t bound);
/* One cycle through all `count` elements: next[i] is visited after i (Sattolo 1986). */
void random_cycle(uint32_t *next, uint32_t count, uint64_t *state);

/* What so many numbers are like; sigma, of the sample, is NaN for fewer than two. */
struct spread {
    size_t count;
    double mean, sigma, least, most;
};
struct spread spread_of(const double *values, size_t count);

#endif
