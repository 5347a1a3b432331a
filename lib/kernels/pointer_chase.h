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
    struct chase_alike *alike; /* what pointer_chase_link_alike has linked; NULL: not known */
};

/* Maps room for rings of at most `bytes`, with the largest pages that the platform has. False: the probe has ended. */
bool pointer_chase_map(struct probe *p, struct pointer_chase *c, size_t bytes);
/* Maps what a chase needs beside c->ring, which the caller has mapped. False: the probe has ended. */
bool pointer_chase_map_beside(struct probe *p, struct pointer_chase *c);
/*
 * Maps room for rings of at most `bytes` with pages of page_bytes, without ending the probe where that fails. Returns
 * NULL, or a sentence why they cannot be had; then nothing stays mapped. The probe must have no code mapped yet: on
 * AArch64 a window has one translation granule, which these pages choose.
 */
const char *pointer_chase_try_map(struct pointer_chase *c, size_t bytes, size_t page_bytes);
/*
 * Links `lines` lines of the ring, from byte `offset` on, to a cycle (Sattolo's). It leads through groups of `group`
 * lines, one after the other, and through the lines of each group in random order. A group has the lines of pages of
 * 4 KiB that are drawn from all of the ring: where some sets of a cache are too small for the ring, any part of the
 * cycle meets them as often as the whole does, and a reading need not last for all of it.
 */
void pointer_chase_link(struct probe *p, const struct pointer_chase *c, size_t offset, size_t lines, size_t group);
/*
 * As pointer_chase_link, but each group has neighbouring lines, and all but the last the same random order; groups that
 * a call before has linked, with the same offset, group and pitch, stay as they are. That takes a quarter of the instructions
 * or less.
 */
void pointer_chase_link_alike(struct probe *p, const struct pointer_chase *c, size_t offset, size_t lines,
                              size_t group);
/* Links pointers at these offsets in bytes, in this order, and the last one to the first. A line may hold several. */
void pointer_chase_follow(const struct pointer_chase *c, const size_t *offsets, size_t count);
/*
 * Links pointers at these offsets in bytes to a cycle in random order; `offsets` is left in the order in which the
 * cycle visits them, the first one still first.
 */
void pointer_chase_scatter(struct probe *p, const struct pointer_chase *c, size_t *offsets, size_t count);
/*
 * Returns how many loads a chase's kernel should have for a ring of `lines` lines: the least number, not below
 * `at_least`, that has no common divisor with `lines`.
 *
 * That is the guard against predicted loads. Some cores predict the address or the value of a load by its position in
 * the code: the last one again, or one at a constant distance from it (Apple since M2, Kim et al. 2025, SLAP and FLOP).
 * Then the next load of a chase does not wait. With such a number each load of the kernel visits all lines of the ring
 * in random order, which cannot be predicted. Rings of one or two lines cannot be guarded.
 */
#define POINTER_CHASE_GUARD "each load comes to all lines, in random order"
unsigned pointer_chase_unroll(size_t lines, unsigned at_least);
/*
 * Makes the kernel that walks the ring, which must have been linked, with `unroll` loads an iteration; a call continues
 * where the last one stopped. Its unit is a load. Sets the entry, data and units of *k; the other members stay as the
 * caller has set them. False: the probe has ended.
 */
bool pointer_chase_kernel(struct probe *p, const struct pointer_chase *c, unsigned unroll, struct kernel *k);

#endif
