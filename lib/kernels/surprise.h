/*
 * Surprise: jumps to places that are drawn at random, which no predictor can know. Each is mispredicted, and what it costs
 * shows how far away its target was: nothing is fetched ahead, and whatever else a front end is good at is lost in the
 * penalty.
 */
#ifndef FATHOM_LIB_KERNELS_SURPRISE_H
#define FATHOM_LIB_KERNELS_SURPRISE_H

#include "lib/probe.h"

enum { SURPRISE_BYTES = 16, SURPRISE_LINE_BYTES = 64, SURPRISE_LOOP_LINES = 2 };

/* Where the walk goes on, and behind a line, the targets of all jumps in order: so many as a power of two. */
struct surprise {
    struct area area;
    unsigned jumps_bits; /* more than any predictor learns */
};

/* Ends the probe where there is no memory for it. */
bool surprise_map(struct probe *p, struct surprise *s);
/* Goes to the next target. At most SURPRISE_BYTES. */
void surprise_jump(struct code *c);
/*
 * Finishes code that has `count` places to go to, the index-th at offset place(context, index): behind it, from the next
 * line on, a loop of SURPRISE_LOOP_LINES lines and what goes before and after. The unit is a jump.
 */
bool surprise_kernel(struct probe *p, const struct surprise *s, struct code *c,
                     size_t (*place)(const void *context, size_t index), const void *context, size_t count,
                     struct kernel *k);

#endif
