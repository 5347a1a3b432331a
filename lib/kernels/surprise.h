/*
 * Surprise: one jump that goes to a list of places and is always mispredicted. What it costs shows how far away its target
 * was: nothing is fetched ahead, and whatever else a front end is good at is lost in the penalty.
 *
 * The jump is a return to another address than that of the call before it. The return stack leads the front end behind
 * the call, into a loop of one instruction, where it stays until the return is executed: a retpoline (Turner 2018). So
 * places may be taken in the same order pass after pass, which leaves a cache all at once where it holds one line too
 * few. An indirect jump drawn at random is mispredicted as well, but then the front end runs ahead from place to place,
 * and fetches on a wrong path what is going to be measured.
 */
#ifndef FATHOM_LIB_KERNELS_SURPRISE_H
#define FATHOM_LIB_KERNELS_SURPRISE_H

#include "lib/probe.h"

enum { SURPRISE_BYTES = 16, SURPRISE_LINE_BYTES = 64, SURPRISE_LOOP_LINES = 2 };

/* Where the walk goes on, and behind a line, the targets of all jumps in order: so many as a power of two. */
struct surprise {
    struct area area;
    unsigned jumps_bits;     /* with those that lead to the end of an iteration */
    size_t row;              /* so many places, one after the other, are always taken so; 0: 1 */
    size_t entry, jump, end; /* offsets of the code that surprise_begin has emitted */
};

/* Ends the probe where there is no memory for it. */
bool surprise_map(struct probe *p, struct surprise *s);
/* The one jump that goes to all places, and the loop around it: SURPRISE_LOOP_LINES lines from here on. */
void surprise_begin(struct code *c, struct surprise *s);
/* A place: goes on to the next. At most SURPRISE_BYTES. */
void surprise_place(struct code *c, const struct surprise *s);
/*
 * Finishes code that has `count` places to go to, the index-th at offset place(context, index): all of them once in a
 * pass, or as many as the list has room for, in an order drawn at random. The unit is a jump.
 */
bool surprise_kernel(struct probe *p, const struct surprise *s, struct code *c,
                     size_t (*place)(const void *context, size_t index), const void *context, size_t count,
                     struct kernel *k);

#endif
