/*
 * Noise: how far a sample is from the true value. There are many forms of it, most of which change with time, whatever
 * x is measured. And the random draws that all these tests use.
 */
#ifndef FATHOM_TESTS_MODEL_CURVES_NOISE_H
#define FATHOM_TESTS_MODEL_CURVES_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Amounts are relative to y; a part of the noise that is 0 is absent. Times are in samples. */
struct noise {
    const char *name;

    double white;                            /* normal, standard deviation */
    double tail_share, tail;                 /* exponential, upward only: share of the samples, mean */
    double drift, period[3], phase[3];       /* three sines: amplitude of their sum */
    double states, dwell;                    /* a clock with two states: their difference, time spent in one */
    double settle, settle_time;              /* a machine that warms up: what is added at time 0, time constant */
    double burst_share, burst, burst_time;   /* other programs: share of the time, how much slower, length of a burst */
    double stolen_share, stolen;             /* interrupted samples: share of the samples, mean of what is added */
    double quantum;                          /* a step of the clock, in units of y */
    double missing_share, missing_run_share; /* samples without a value: single ones; whole sections of time */

    uint64_t seed; /* decides which sections of time are affected */
};

/* A sample at this time, where the true value is y. NaN where the sample has no value. */
double noise_apply(const struct noise *n, double y, double time, uint64_t *random);
/* Multiplies what is typical of a machine; not bursts and interruptions, which have a size of their own. */
void noise_scale(struct noise *n, double factor);

/* ---- Draws --------------------------------------------------------------------------------------- */

/* Uniform between `from` and `to`. */
double between(uint64_t *random, double from, double to);
/* Between `from` and `to`, both positive, uniform in the logarithm. */
double magnitude(uint64_t *random, double from, double to);
/* Of the standard normal distribution. */
double normal(uint64_t *random);
bool chance(uint64_t *random, double probability);
/* A whole number from `from` to `to`, both included. */
size_t pick(uint64_t *random, size_t from, size_t to);

#endif
