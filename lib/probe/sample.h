/*
 * One number where there is no axis to sweep: the median of several samples.
 */
#ifndef FATHOM_LIB_PROBE_SAMPLE_H
#define FATHOM_LIB_PROBE_SAMPLE_H

#include "lib/probe/probe.h"

enum { SAMPLES_MAXIMUM = 32 };

/*
 * Sets *cycles to the cycles per unit of a kernel: the median of `samples` samples, SAMPLES_MAXIMUM at most, of one in
 * profile smoke, of three at most in profile simulated. `build` makes the kernel anew for each sample and is given
 * `context`. NaN where no reading was accepted. False: the probe has ended.
 */
bool sample_cycles(struct probe *p, unsigned samples, bool (*build)(struct probe *p, void *context, struct kernel *k),
                   void *context, double *cycles);

/* A kernel that repeats the same instructions. */
struct loop {
    /*
     * Emits what runs once before the loop, after the registers of enum vreg were zeroed, which makes no operation
     * slow.
     */
    void (*begin)(struct code *c);                     /* NULL: nothing more */
    void (*body)(struct code *c, const void *context); /* emits one iteration */
    const void *context;
    size_t instructions; /* that `begin` and `body` emit together, at most */
    uint64_t data;       /* value of REG_DATA */
};

/* Sets *cycles to the cycles per iteration of the loop, measured as sample_cycles does. False: the probe has ended. */
bool sample_loop(struct probe *p, unsigned samples, const struct loop *l, double *cycles);

#endif
