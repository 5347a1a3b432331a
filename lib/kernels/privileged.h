/* Loops over one privileged instruction, or another that keeps translations and memory in order. */
#ifndef FATHOM_LIB_KERNELS_PRIVILEGED_H
#define FATHOM_LIB_KERNELS_PRIVILEGED_H

#include "arch/emit_privileged.h"
#include "lib/probe/sample.h"

enum { PRIVILEGED_DATA_BYTES = 64 };

/*
 * The loop over `count` of these sequences, for sample_loop; `data` is the address of PRIVILEGED_DATA_BYTES of memory.
 * *context is filled in, and has to stay as long as the loop.
 */
struct privileged_context {
    const struct emit_privileged *operation;
    unsigned count;
};
struct loop privileged_loop(struct privileged_context *context, const struct emit_privileged *operation, unsigned count,
                            uint64_t data);

#endif
