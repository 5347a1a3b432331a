/*
 * A kernel of registers only that does the same work each time: eight dependent additions an iteration. Where nothing
 * else has the core, every call with as many iterations takes the same time and executes the same number of
 * instructions.
 */
#ifndef FATHOM_LIB_KERNELS_FIXED_WORK_H
#define FATHOM_LIB_KERNELS_FIXED_WORK_H

#include "lib/probe/probe.h"

struct fixed_work {
    struct kernel kernel;
    uint64_t instructions_once;          /* of a call, besides the loop */
    uint64_t instructions_per_iteration; /* of the loop */
};

/* Makes the kernel in *w, which must begin as all zeros. False: the probe has ended. */
bool fixed_work_build(struct probe *p, struct fixed_work *w);
/* Instructions that a call of so many iterations executes. */
uint64_t fixed_work_instructions(const struct fixed_work *w, uint64_t iterations);

#endif
