/*
 * Mispredicted return: one jump that goes to a list of places and is mispredicted every time. Its cost shows how far
 * away the code at its target was. Nothing is fetched ahead, and everything else that a front end is good at is hidden
 * by the penalty.
 *
 * The jump is a return to another address than that of its call. The return stack leads the front end behind the call,
 * into a loop of one instruction, where it stays until the return is executed: a retpoline (Turner 2018). So places may
 * be visited in the same order in each pass, and a cache that holds one line too few then misses all of them at once.
 * An indirect jump to a random place is mispredicted as well, but the front end then runs ahead from place to place and
 * fetches, on a wrong path, what is to be measured.
 *
 * An operation cache hides the instruction cache for the lines that it holds. It needs at least one entry for each
 * line, and more for many instructions, so of places that are full of instructions it holds few (AMD Zen 4: 192 lines
 * of 56 NOPs, and 768 with one jump each, where the instruction cache has 512).
 *
 * Replacement that is not LRU would keep some of a few lines too many, and the curve would be a ramp (measured on AMD
 * Zen 4: of nine lines in turn in a set of eight, three in ten miss). Therefore the places of the first page are
 * visited again and again: each other place is visited right behind the one of the first page that has the same offset
 * in a page, which is in the same set if a way spans no more than 4 KiB. Then all other places miss (on Zen 4 as well).
 *
 * Method: docs/METHODS.md, 4.20.
 */
#ifndef FATHOM_LIB_KERNELS_MISPREDICTED_RETURN_H
#define FATHOM_LIB_KERNELS_MISPREDICTED_RETURN_H

#include "lib/probe/probe.h"

enum {
    MISPREDICTED_AGAIN = 2, /* jumps of a group: to a place of the first page, and to another one */
    MISPREDICTED_BYTES = 16,
    MISPREDICTED_LINE_BYTES = 64,
    MISPREDICTED_LOOP_LINES = 2,
    MISPREDICTED_JUMP_BYTES = 8 /* at most */
};

struct mispredicted_return {
    struct area area;        /* the position in the list; in the next line, the list: targets of all jumps in order */
    unsigned jumps_bits;     /* log2 of the length of the list, with the jumps that lead to the end of an iteration */
    bool full;               /* places fill their line with NOPs */
    size_t group;            /* this many jumps stay together in the order that is drawn; 0: 1 */
    size_t entry, jump, end; /* offsets of the code that mispredicted_return_begin has emitted */
};

/* Maps the list. False ends the probe: there is no memory for it. */
bool mispredicted_return_map(struct probe *p, struct mispredicted_return *s);
/* Emits the jump and the loop around it, in MISPREDICTED_LOOP_LINES lines. */
void mispredicted_return_begin(struct code *c, struct mispredicted_return *s);
/* Emits a place: it leads back to the jump. At most MISPREDICTED_BYTES, or a whole line where places are full. */
void mispredicted_return_place(struct code *c, const struct mispredicted_return *s);
/*
 * The order described above, for places place_bytes apart: the number of jumps of a pass, in groups of
 * MISPREDICTED_AGAIN, and the place that a jump goes to.
 */
size_t mispredicted_return_jumps(size_t places, size_t place_bytes);
size_t mispredicted_return_again(size_t jump, size_t places, size_t place_bytes);
/*
 * Makes the kernel of code whose `count` jumps of a pass go to offsets place(context, 0 … count - 1), in an order of
 * groups drawn at random; only as many as the list has room for. The unit is a jump. False ends the probe.
 */
bool mispredicted_return_kernel(struct probe *p, const struct mispredicted_return *s, struct code *c,
                                size_t (*place)(const void *context, size_t index), const void *context, size_t count,
                                struct kernel *k);

#endif
