/*
 * Surprise: one jump that goes to a list of places and is always mispredicted. What it costs shows how far away its target
 * was: nothing is fetched ahead, and whatever else a front end is good at is lost in the penalty.
 *
 * The jump is a return to another address than that of the call before it. The return stack leads the front end behind
 * the call, into a loop of one instruction, where it stays until the return is executed: a retpoline (Turner 2018). So
 * places may be taken in the same order pass after pass, which leaves a cache all at once where it holds one line too
 * few. An indirect jump drawn at random is mispredicted as well, but then the front end runs ahead from place to place,
 * and fetches on a wrong path what is going to be measured.
 *
 * A cache of decoded operations hides the instruction cache of lines that it holds. It has an entry at least for each, more
 * for many instructions: of places that are full of them it holds few (AMD, Zen 4: 192 lines of 56 NOPs, and 768 with one
 * jump each, where the instruction cache has 512).
 */
#ifndef FATHOM_LIB_KERNELS_SURPRISE_H
#define FATHOM_LIB_KERNELS_SURPRISE_H

#include "lib/probe.h"

enum { SURPRISE_AGAIN = 2 /* jumps of a row, see surprise_again */ };
enum { SURPRISE_BYTES = 16, SURPRISE_LINE_BYTES = 64, SURPRISE_LOOP_LINES = 2, SURPRISE_JUMP_BYTES = 8 /* at most */ };

/* Where the walk goes on, and behind a line, the targets of all jumps in order: so many as a power of two. */
struct surprise {
    struct area area;
    unsigned jumps_bits;     /* with those that lead to the end of an iteration */
    bool full;               /* places fill their line */
    size_t row;              /* so many places, one after the other, are always taken so; 0: 1 */
    size_t entry, jump, end; /* offsets of the code that surprise_begin has emitted */
};

/* Ends the probe where there is no memory for it. */
bool surprise_map(struct probe *p, struct surprise *s);
/* The one jump that goes to all places, and the loop around it: SURPRISE_LOOP_LINES lines from here on. */
void surprise_begin(struct code *c, struct surprise *s);
/* A place: goes on to the next. At most SURPRISE_BYTES, or a whole line where it is full. */
void surprise_place(struct code *c, const struct surprise *s);
/*
 * Of places so many bytes apart those of the first page stay, and each other is taken right behind that one of them which
 * has its offset in a page, and is in its set where a way spans no more than 4 KiB. What replaces lines in another order
 * than that of use would keep some of a few too many otherwise, and there would be a ramp (AMD, Zen 4: of nine in turn in
 * a set of eight three in ten miss; with one of them before each other, all others do). So many jumps are a pass, in
 * rows, and this is where the n-th goes to.
 */
size_t surprise_jumps(size_t places, size_t place_bytes);
size_t surprise_again(size_t jump, size_t places, size_t place_bytes);
/*
 * Finishes code that has `count` places to go to, the index-th at offset place(context, index): all of them once in a
 * pass, or as many as the list has room for, in an order drawn at random. The unit is a jump.
 */
bool surprise_kernel(struct probe *p, const struct surprise *s, struct code *c,
                     size_t (*place)(const void *context, size_t index), const void *context, size_t count,
                     struct kernel *k);

#endif
