/*
 * One number, where there is no axis to search: the median of several samples.
 */
#ifndef FATHOM_LIB_SAMPLE_H
#define FATHOM_LIB_SAMPLE_H

#include "lib/sweep.h"

enum { SAMPLES_MAXIMUM = 32 };

/*
 * Cycles per unit of what `build` makes, anew for each sample: the median of so many. Once only at smoke. NaN where no
 * reading was accepted.
 */
bool sample_cycles(struct probe *p, unsigned samples, bool (*build)(struct probe *p, void *context, struct kernel *k),
                   void *context, double *cycles);

/* Instructions over and over: what is emitted once before them, and they. */
struct loop {
    void (*begin)(struct code *c); /* may be NULL; zeros are in all vector registers then, which nothing is slow with */
    void (*body)(struct code *c, const void *context);
    const void *context;
    size_t instructions; /* of both, at most */
    uint64_t data;       /* what REG_DATA holds */
};

/* Cycles an iteration: the median of so many samples, as above. */
bool sample_loop(struct probe *p, unsigned samples, const struct loop *l, double *cycles);

#endif
