/*
 * One number where there is no axis to sweep: the median of several samples.
 */
#ifndef FATHOM_LIB_PROBE_SAMPLE_H
#define FATHOM_LIB_PROBE_SAMPLE_H

#include "lib/probe/probe.h"

enum { SAMPLES_MAXIMUM = 32 };

/*
 * Sets *cycles to the cycles per unit of the kernel that `build` makes, anew for each sample: the median of `samples`
 * samples, SAMPLES_MAXIMUM at most, of one at profile smoke. NaN where no reading was accepted.
 */
bool sample_cycles(struct probe *p, unsigned samples, bool (*build)(struct probe *p, void *context, struct kernel *k),
                   void *context, double *cycles);

/* A loop over the same instructions. */
struct loop {
    /* Emitted once before the loop, behind code that zeroes all vector registers (zero makes no operation slow). */
    void (*begin)(struct code *c); /* NULL: nothing more */
    void (*body)(struct code *c, const void *context);
    const void *context;
    size_t instructions; /* that `begin` and `body` emit together, at most */
    uint64_t data;       /* value of REG_DATA */
};

/* The same for such a loop: cycles per iteration. */
bool sample_loop(struct probe *p, unsigned samples, const struct loop *l, double *cycles);

#endif
