/*
 * A pointer chase of which every load misses the first level, however few lines it has: behind each load, other lines
 * of the same set of the first level, but of other sets of the second, are loaded.
 *
 * These loads wait for the load of the chase, and its next load waits for them: the address of each contains what was
 * loaded before, of which nothing but 0 is left. So the second level sees the loads of the chase in their order.
 *
 * Method: docs/METHODS.md, 7.6.
 */
#ifndef FATHOM_LIB_KERNELS_DISPLACED_CHASE_H
#define FATHOM_LIB_KERNELS_DISPLACED_CHASE_H

#include "lib/kernels/pointer_chase.h"

/* The other lines: `count` of them, `distance` bytes apart, but for every `skip`-th place; they hold 0. */
struct displacers {
    size_t count, distance;
    size_t skip; /* the place of number `skip` has the set of the chase: it is left out, as are its multiples */
};

/* How many bytes they take, from place 0 on, which is left out. */
size_t displacers_bytes(const struct displacers *d);
/* Bytes of code of emit_displaced_chase, at most. */
size_t displaced_chase_bytes(const struct displacers *d, unsigned unroll);
/*
 * Emits a function that walks a ring, as displaced_chase_kernel says: its data are two words, where the walk continues
 * and the address of the displacers' places. Returns its entry.
 */
size_t emit_displaced_chase(struct code *c, const struct displacers *d, size_t lines, unsigned unroll);
/*
 * Makes the kernel of a chase over a ring of `lines` pointers that was linked, with its displacers at the address `at`
 * + their places. An iteration goes round the ring `unroll` times (pointer_chase_unroll), so that each reading has
 * whole rounds; the unit is a load of the ring. False: the probe has ended.
 */
bool displaced_chase_kernel(struct probe *p, const struct pointer_chase *c, const struct displacers *d, uintptr_t at,
                            size_t lines, unsigned unroll, struct kernel *k);

#endif
