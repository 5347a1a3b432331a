/*
 * Pointer chases: lines linked into one ring, and the kernel that walks it. Each load needs the address that the load
 * before it returns (docs/METHODS.md, 4.18).
 */
#ifndef FATHOM_LIB_KERNELS_POINTER_CHASE_H
#define FATHOM_LIB_KERNELS_POINTER_CHASE_H

#include "lib/probe/probe.h"

enum { POINTER_CHASE_LINE_BYTES = 64 };

struct pointer_chase {
    struct area ring;  /* where the lines lie */
    struct area start; /* where the walk continues, kept between calls; a page of its own, outside the footprint */
    struct area order; /* scratch for pointer_chase_link */
    size_t pitch;      /* bytes from one line of pointer_chase_link to the next; 0: POINTER_CHASE_LINE_BYTES */
};

/* Maps room for rings of at most `bytes`, with the largest pages that the platform has. False: the probe has ended. */
bool pointer_chase_map(struct probe *p, struct pointer_chase *c, size_t bytes);
/*
 * The same with pages of that size, without ending the probe: NULL, or a sentence why they cannot be had; then
 * nothing stays mapped. No code of the probe may be mapped before, since on AArch64 a window has one granule.
 */
const char *pointer_chase_try_map(struct pointer_chase *c, size_t bytes, size_t page_bytes);
/*
 * Links `lines` lines from byte `offset` on: groups of `group` lines, each in random order (Sattolo's cycle), one
 * after the other, and the last one leads to the first.
 */
void pointer_chase_link(struct probe *p, const struct pointer_chase *c, size_t offset, size_t lines, size_t group);
/* The same with one order in all groups, which takes a quarter of the instructions. */
void pointer_chase_link_alike(struct probe *p, const struct pointer_chase *c, size_t offset, size_t lines,
                              size_t group);
/* Links pointers at these offsets in bytes, in this order, and the last one to the first. A line may hold several. */
void pointer_chase_follow(const struct pointer_chase *c, const size_t *offsets, size_t count);
/* The same in random order (Sattolo's cycle); the offsets are left in the order of the walk. */
void pointer_chase_scatter(struct probe *p, const struct pointer_chase *c, size_t *offsets, size_t count);
/*
 * The guard against predicted loads. Some cores predict the address or the value of a load by its position in the
 * code: the last one again, or one at a constant distance from it (Apple since M2, Kim et al. 2025, SLAP and FLOP).
 * Then the next load of a chase does not wait. So each load of the kernel has to visit all lines of the ring, in
 * random order: its number of loads and the number of lines must have no common divisor. pointer_chase_unroll returns
 * the least such number of loads that is not below `at_least`. Rings of one or two lines cannot be guarded.
 */
#define POINTER_CHASE_GUARD "each load comes to all lines, in random order"
unsigned pointer_chase_unroll(size_t lines, unsigned at_least);
/*
 * Makes the kernel: `unroll` loads an iteration, which continue where the last call stopped. Units are loads. False:
 * the probe has ended.
 */
bool pointer_chase_kernel(struct probe *p, const struct pointer_chase *c, unsigned unroll, struct kernel *k);

#endif
