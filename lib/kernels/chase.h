/*
 * Pointer chases: lines linked into one ring, and the kernel that walks it. Every load needs the address that the load
 * before it brought.
 */
#ifndef FATHOM_LIB_KERNELS_CHASE_H
#define FATHOM_LIB_KERNELS_CHASE_H

#include "lib/probe.h"

enum { CHASE_LINE_BYTES = 64 };

struct chase {
    struct area ring;  /* where the lines lie */
    struct area start; /* where the walk goes on; a page of its own, so that it is no part of the footprint */
    struct area order; /* scratch for chase_link */
};

/* Maps room for rings of at most `bytes`, with the largest pages that the place gives; ends the probe where it can't. */
bool chase_map(struct probe *p, struct chase *c, size_t bytes);
/*
 * The same with pages of that size, without ending anything: NULL, or why they can't be had, and then nothing stays
 * mapped. No code of the probe may be mapped before, since on AArch64 a window has one granule.
 */
const char *chase_try_map(struct chase *c, size_t bytes, size_t page_bytes);
/*
 * Links `lines` lines from `offset` on: those of a group of `group` lines in random order (Sattolo's cycle), then on to
 * the next group, and from the last one to the first.
 */
void chase_link(struct probe *p, const struct chase *c, size_t offset, size_t lines, size_t group);
/* Links pointers at these offsets, in this order, and the last one to the first. One line may hold several. */
void chase_follow(const struct chase *c, const size_t *offsets, size_t count);
/* The same in random order (Sattolo's cycle); the offsets are left in the order of the walk. */
void chase_scatter(struct probe *p, const struct chase *c, size_t *offsets, size_t count);
/*
 * The guard against predicted loads. Some cores predict where a load goes, or what it brings, by where it stands in the
 * code: what was the same the last times, or as far on each time (Apple since M2, Kim et al. 2025, SLAP and FLOP). Then
 * the next load of a chase does not wait. So each load of an iteration has to come to all lines of the ring, in random
 * order: so many loads, `at_least`, that they and the lines have no common divisor. Rings of one or two lines cannot be
 * guarded.
 */
#define CHASE_GUARD "each load comes to all lines, in random order"
unsigned chase_unroll(size_t lines, unsigned at_least);
/* The walk, `unroll` loads an iteration, going on where the call before it stopped. Units are loads. */
bool chase_kernel(struct probe *p, const struct chase *c, unsigned unroll, struct kernel *k);

#endif
