/* Runs the reader at EL1 with our vectors, which return from any exception that a kernel causes. */
#ifndef FATHOM_ARCH_AARCH64_OWN_GUARD_H
#define FATHOM_ARCH_AARCH64_OWN_GUARD_H

#include "arch/aarch64/own/frame.h"

/*
 * Runs the list of *g at EL1 on g->stack, with SP_EL0 in use, with the interrupt masks g->daif. An exception is taken
 * on SP_EL1, so it can be handled even when a kernel has destroyed the stack pointer. g->exception says how the list
 * ended. To be called at EL1 with interrupts masked; they are masked afterwards.
 */
void guard_run(struct guarded *g);

/* The exception vectors that guard_run uses; the EL1 worker uses them as those of EL1. */
extern const char guard_vectors[] __attribute__((visibility("hidden")));

/* A kernel for tests, of 2 * iterations + 1 instructions, where `iterations` is its first argument. */
extern const char guard_loop_kernel[] __attribute__((visibility("hidden")));
/*
 * A kernel for tests that waits for as many ticks of the time stamp as its first argument says; guard_wait_kernel_end
 * is the end of its code, so that it can be copied.
 */
extern const char guard_wait_kernel[] __attribute__((visibility("hidden")));
extern const char guard_wait_kernel_end[] __attribute__((visibility("hidden")));

/* A kernel that reads 32 bits at the address that is its first argument, and stores them where the second points. */
extern const char guard_read_word_kernel[] __attribute__((visibility("hidden")));
/* A kernel that writes its second argument, 32 bits, to the address that is its first. */
extern const char guard_write_word_kernel[] __attribute__((visibility("hidden")));

#endif
