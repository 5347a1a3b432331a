/*
 * What lies between a structure and the number that a reading of it gives: chance, in many forms, most of them
 * living in time and not in x.
 */
#ifndef FATHOM_TESTS_MODEL_CURVES_NOISE_H
#define FATHOM_TESTS_MODEL_CURVES_NOISE_H

#include <stdint.h>

/* All parts are relative to y; what is 0 is not there. Lengths of time are in samples. */
struct noise {
    const char *name;

    double white;                            /* normal, standard deviation */
    double tail_share, tail;                 /* upward only, exponential: how often, mean */
    double drift, period[3], phase[3];       /* three sines: amplitude of their sum */
    double states, dwell;                    /* a clock that changes between two states: difference, time in one */
    double settle, settle_time;              /* a machine that warms up: excess at time 0, time constant */
    double burst_share, burst, burst_time;   /* neighbours: share of time, how much slower, granule of time */
    double stolen_share, stolen;             /* single samples that lost time to somebody else: mean excess */
    double quantum;                          /* of the clock, in units of y */
    double missing_share, missing_run_share; /* samples that give nothing: single ones; whole stretches of time */

    uint64_t seed; /* says which stretches of time are hit */
};

/* One sample of y at a time. NaN where nothing was accepted. */
double noise_apply(const struct noise *n, double y, double time, uint64_t *random);
/* Multiplies what scales with the quality of a place; not what single accidents cost. */
void noise_scale(struct noise *n, double factor);

/* Uniform in from … to; standard normal. */
double between(uint64_t *random, double from, double to);
double normal(uint64_t *random);

#endif
