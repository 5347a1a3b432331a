/* The reader at EL1 behind vectors of ours, with a way back from everything it may run into. */
#ifndef FATHOM_ARCH_AARCH64_OWN_GUARD_H
#define FATHOM_ARCH_AARCH64_OWN_GUARD_H

#include "arch/aarch64/own/frame.h"

/*
 * Runs the list on g->stack, with SP_EL0 in use: an exception arrives on SP_EL1, so that a bad stack
 * hurts nobody. Returns with g->exception telling how it ended, interrupts masked.
 */
void guard_run(struct guarded *g);

/* The vectors, for a level that has none of its own. */
extern const char guard_vectors[] __attribute__((visibility("hidden")));

/* Test kernels: 2 * iterations + 1 instructions; and waiting for so many ticks. */
extern const char guard_loop_kernel[] __attribute__((visibility("hidden")));
extern const char guard_wait_kernel[] __attribute__((visibility("hidden")));
extern const char guard_wait_kernel_end[] __attribute__((visibility("hidden")));

#endif
