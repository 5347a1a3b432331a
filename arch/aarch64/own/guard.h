/* Runs the reader at EL1 with our vectors, which return from any exception that a kernel causes. */
#ifndef FATHOM_ARCH_AARCH64_OWN_GUARD_H
#define FATHOM_ARCH_AARCH64_OWN_GUARD_H

#include "arch/aarch64/own/frame.h"

/*
 * Runs the list on g->stack, with SP_EL0 in use. An exception is taken on SP_EL1, so it can be handled even when a
 * kernel has destroyed the stack pointer. g->exception says how it ended; interrupts are masked.
 */
void guard_run(struct guarded *g);

/* The vectors; the EL1 worker uses them as those of EL1. */
extern const char guard_vectors[] __attribute__((visibility("hidden")));

/* Test kernels: one of 2 * iterations + 1 instructions, and one that waits for a number of ticks. */
extern const char guard_loop_kernel[] __attribute__((visibility("hidden")));
extern const char guard_wait_kernel[] __attribute__((visibility("hidden")));
extern const char guard_wait_kernel_end[] __attribute__((visibility("hidden")));

/* Kernels that access 32 bits: one reads at its first argument and stores to where the second points, one writes. */
extern const char guard_read_word_kernel[] __attribute__((visibility("hidden")));
extern const char guard_write_word_kernel[] __attribute__((visibility("hidden")));

#endif
