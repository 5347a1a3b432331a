/*
 * Two loads to a block: a pointer chase over blocks in random order, whose second load of a block hits where it lies on
 * the line that the first one has fetched.
 */
#ifndef FATHOM_LIB_KERNELS_LINE_PAIRS_H
#define FATHOM_LIB_KERNELS_LINE_PAIRS_H

#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"

enum {
    LINE_PAIRS_LONGEST = 256,                 /* bytes of a line at most: Fujitsu's A64FX */
    LINE_PAIRS_BLOCK = 5 * LINE_PAIRS_LONGEST /* an odd multiple: prefetchers of pairs of lines see either half first */
};

/*
 * Makes the kernel: one load at the beginning of each block, and one `away` bytes behind it, which comes first where
 * `back`. `offsets` is scratch for twice as many as there are blocks. Units are loads. False: the probe has ended.
 */
bool line_pairs_kernel(struct probe *p, const struct pointer_chase *chase, size_t *offsets, size_t blocks, size_t away,
                       bool back, struct kernel *k);

#endif
