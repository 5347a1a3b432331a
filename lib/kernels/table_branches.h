/*
 * Two branches at chosen addresses that are executed with the same history: does a table of a conditional predictor take
 * one for the other?
 *
 *     draw     two bits by chance: one for the bearer, one that chooses the branch
 *     reset    conditional branches that are always taken: they push what was before out of the history
 *     bearer   a taken conditional branch, and one that is taken or not by the first bit
 *     dummies  conditional branches that are always taken: the bearer is so far back then that one table alone sees it
 *     router   an indirect jump to one of two places, by the second bit
 *     branch   a conditional branch in the direction that is the sum of both bits
 *
 * The places that the router leads to differ in the highest bit of a block, and in bits of page numbers that are
 * inverted; NOPs lead on to the branches. So where none of these bits enters the history, it is the same at both
 * branches. A table that knows one branch from the other predicts them, from the bearer's bit and the address; to one
 * that takes them for the same branch the direction is chance.
 *
 * A branch is known by the address of its last byte on x86-64 and of its first byte on AArch64, as in
 * lib/kernels/history_paths.h.
 *
 * Method: docs/METHODS.md, 5.22.
 */
#ifndef FATHOM_LIB_KERNELS_TABLE_BRANCHES_H
#define FATHOM_LIB_KERNELS_TABLE_BRANCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/kernels/branch_history.h"
#include "lib/kernels/code_block.h"
#include "lib/probe/probe.h"

enum { BRANCHES_PAGE_BITS = 12 /* these address bits are those within a page */ };

/* The router and its two branches, whose addresses differ in these bits and in the block's highest one. */
struct branch_places {
    const struct code_block *room;
    uint64_t difference;
    bool jumps; /* they are indirect jumps, both to one of the same two places */
};

/* Where they are, in the block. */
struct branch_route {
    uint64_t from, second, branch, other;
};

struct table_branches {
    struct branch_places places;
    uint64_t state;  /* address at which the generator's state is kept, lib/kernels/chance.h */
    uint64_t layout; /* chooses addresses */
    unsigned reset, dummies;
};

/*
 * Maps a block whose highest address bit separates the two branches; bits below `end`, at most that one, can be inverted.
 * NULL, or why it cannot be mapped; code_block_unmap follows in either case.
 */
const char *table_branches_map(struct code_block *room, unsigned highest, unsigned end);
/* Starts code behind the block, in the place that `random` chooses. piece_done follows when it is complete. */
struct piece branch_places_start(struct code *c, const struct branch_places *b, uint64_t *random);
/*
 * Emits the chain that the branch waits for and the router, which leads to the first or the second branch by the bit in
 * REG_T1. The branch is taken where REG_T5 is zero; jumps go by its lowest bit. REG_T6 must be zero. REG_T4, REG_T5 and REG_T7 are overwritten. Code
 * that is emitted next is executed behind the branch.
 */
struct branch_route branch_places_route(const struct probe *p, struct code *c, const struct branch_places *b,
                                        uint64_t *random);
/* Emits the two branches, when the other code is complete. */
void branch_places_emit(struct code *c, const struct branch_places *b, const struct branch_route *r);
/* Whether that code, all of which has been emitted, is good. False: the probe has ended. */
bool branch_places_done(struct probe *p, const struct code *c);
/*
 * Makes the kernel, whose branches go by `goes`; its unit is an iteration. It replaces the kernel that was built before.
 * False: the probe has ended.
 */
bool table_branches_build(struct probe *p, const struct table_branches *t, enum history_probe goes, struct kernel *k);

#endif
