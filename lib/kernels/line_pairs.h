/*
 * A pointer chase over blocks in random order, with two loads in each block. The second load hits if it is on the cache
 * line that the first one has fetched.
 */
#ifndef FATHOM_LIB_KERNELS_LINE_PAIRS_H
#define FATHOM_LIB_KERNELS_LINE_PAIRS_H

#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"

enum {
    LINE_PAIRS_LONGEST = 256, /* bytes of a line at most: Fujitsu's A64FX */
    /* Bytes of a block: an odd multiple, so that blocks begin in either half of a pair of lines that is prefetched. */
    LINE_PAIRS_BLOCK = 5 * LINE_PAIRS_LONGEST
};

/*
 * Makes the kernel over `blocks` blocks of the chase's ring: in each a load from its beginning and one from `away`
 * bytes after that, or the other way round if `back`. `offsets` is scratch for 2 * blocks numbers. The unit is a load;
 * *k is filled in as by pointer_chase_kernel. False: the probe has ended.
 */
bool line_pairs_kernel(struct probe *p, const struct pointer_chase *chase, size_t *offsets, size_t blocks, size_t away,
                       bool back, struct kernel *k);

#endif
