/*
 * Hashes of virtual addresses up to the highest bits: an area in which every bit of an address could be chosen would need
 * as many pages as there are addresses. Once the masks are known over the bits that an area reaches, each bit above is
 * asked for by the few pages that differ in it and in some of the known bits, and the whole is verified by pages at
 * random addresses, which are drawn before they are mapped (lib/structure/gf2.h, lib/kernels/address_pairs.h).
 *
 * Method: docs/METHODS.md, 7.21.
 */
#ifndef FATHOM_LIB_STRUCTURE_HASH_REACH_H
#define FATHOM_LIB_STRUCTURE_HASH_REACH_H

#include "lib/kernels/address_pairs.h"
#include "lib/structure/gf2.h"

/*
 * Extends the masks *r, found by an experiment on pairs of one frame or not, to the bits above q->bits, as far as the
 * platform maps pages there, and verifies them. *reached becomes the bits that could be decided, and *r has the masks
 * over them; where there are none, or the masks do not hold, *r stays as it was and *reached is q->bits. q->collide must
 * find its pairs by address_pairs_find. False: the probe is over.
 */
bool hash_reach(struct probe *p, struct address_pairs *pairs, const struct gf2_request *q, bool one_frame,
                struct gf2_result *r, uint64_t *reached);

#endif
