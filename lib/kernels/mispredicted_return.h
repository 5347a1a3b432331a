/*
 * Mispredicted return: one jump that goes to a list of places and is mispredicted every time. Its cost shows how far
 * away the code at its target was. Nothing is fetched ahead, and other differences between front ends are hidden by the
 * penalty.
 *
 * The jump is a return to another address than that of its call. The return stack leads the front end to the code after
 * the call, a loop of one instruction, where it stays until the return is executed: a retpoline (Turner 2018). So
 * places may be visited in the same order in each pass, and a cache that holds one line too few then misses all of them
 * at once. An indirect jump to a random place is mispredicted as well, but the front end then runs ahead from place to
 * place and fetches, on a wrong path, what is to be measured.
 *
 * An operation cache hides the instruction cache for the lines that it holds. It needs at least one entry for each
 * line, and more for many instructions, so of places that are full of instructions it holds few (AMD Zen 4: 192 lines
 * of 56 NOPs, and 768 with one jump each, where the instruction cache has 512).
 *
 * Each place is visited once in a pass, always in the same order. So a cache that holds all of them misses none, since
 * whatever else it holds is replaced sooner or later; and with LRU replacement one place too many in a set makes all of
 * that set miss. Other policies keep some of them. How many depends on the order (measured on AMD Zen 4: of nine lines
 * in a set of eight, one to all nine), so experiments take the slowest of MISPREDICTED_ORDERS orders: what fits costs
 * the same in each, and what does not nearly always misses in one of them. No place may be visited more often to make
 * that ramp steeper: a tree of bits (tree PLRU) then spares the half of a set in which that place is, with all lines of
 * other code that are there (an Intel core with 16 ways seemed to have 13).
 *
 * Method: docs/METHODS.md, 4.20.
 */
#ifndef FATHOM_LIB_KERNELS_MISPREDICTED_RETURN_H
#define FATHOM_LIB_KERNELS_MISPREDICTED_RETURN_H

#include "lib/probe/probe.h"

enum {
    MISPREDICTED_BYTES = 16,
    MISPREDICTED_LINE_BYTES = 64,
    MISPREDICTED_LOOP_LINES = 2,
    MISPREDICTED_JUMP_BYTES = 8, /* at most */
    /*
     * The cost of a number of places is the most of so many orders in which they are visited (slowest_of in
     * lib/probe/sweep.h). Chosen: of nine lines in a set of eight, an AMD Zen 4 misses most in half of all orders, so
     * that six are all fast once in 64 times.
     */
    MISPREDICTED_ORDERS = 6
};

struct mispredicted_return {
    struct area area;        /* the position in the list; in the next line, the list: targets of all jumps in order */
    unsigned jumps_bits;     /* log2 of the length of the list, with the jumps that lead to the end of an iteration */
    bool whole;              /* an iteration is a pass: on simulated cores, where readings have few iterations */
    bool full;               /* places fill their line with NOPs */
    size_t group;            /* this many jumps stay together in the order that is drawn; 0: 1 */
    size_t entry, jump, end; /* offsets of the code that mispredicted_return_begin has emitted */
    uint64_t loop_instructions; /* of that code */
};

/* Maps the list and sets s->jumps_bits and s->whole. False: there is no memory for it, and the probe has ended. */
bool mispredicted_return_map(struct probe *p, struct mispredicted_return *s);
/* Emits the jump and the loop around it, in MISPREDICTED_LOOP_LINES lines. */
void mispredicted_return_begin(struct code *c, struct mispredicted_return *s);
/*
 * Emits a place, after mispredicted_return_begin: it leads back to the jump. At most MISPREDICTED_BYTES, or a whole
 * line where places are full.
 */
void mispredicted_return_place(struct code *c, const struct mispredicted_return *s);
/*
 * Makes the kernel of the code *c, in which all places have been emitted. A pass is one jump to each of `count` places,
 * at least one and fewer than the list has room for; place(context, i) returns the byte offset of place i in the code.
 * Their order is drawn at random, with groups of s->group neighbours kept together. The unit is a jump. False: the probe
 * has ended.
 */
bool mispredicted_return_kernel(struct probe *p, const struct mispredicted_return *s, struct code *c,
                                size_t (*place)(const void *context, size_t index), const void *context, size_t count,
                                struct kernel *k);

#endif
