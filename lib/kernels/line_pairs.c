#include "lib/kernels/line_pairs.h"

enum { UNROLL = 16 };

bool line_pairs_kernel(struct probe *p, const struct pointer_chase *chase, size_t *offsets, size_t blocks, size_t away,
                       bool back, struct kernel *k)
{
    /* the first loads in random order, then the second ones between them */
    for (size_t i = 0; i < blocks; i++)
        offsets[i] = i * LINE_PAIRS_BLOCK;
    pointer_chase_scatter(p, chase, offsets, blocks);
    for (size_t i = blocks; i-- > 0;) {
        const size_t block = offsets[i];
        offsets[2 * i] = block + (back ? away : 0);
        offsets[2 * i + 1] = block + (back ? 0 : away);
    }
    pointer_chase_follow(chase, offsets, 2 * blocks);
    k->warm_iterations = 2 * (double)blocks / UNROLL;
    return pointer_chase_kernel(p, chase, pointer_chase_unroll(2 * blocks, UNROLL), k);
}
