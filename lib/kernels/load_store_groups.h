/*
 * Loops of groups of n loads and m stores, all of one width and all in the first-level cache. No load reads what a
 * store wrote, nor an address whose lowest twelve bits are those of a store. The loop's unit is a group.
 *
 *   in order   n loads, then m stores, then n loads …
 *   shuffled   as many of both in random order, in a loop of another length
 *
 * Method: docs/METHODS.md, 7.19.
 */
#ifndef FATHOM_LIB_KERNELS_LOAD_STORE_GROUPS_H
#define FATHOM_LIB_KERNELS_LOAD_STORE_GROUPS_H

#include "arch/emit_access.h"
#include "lib/probe/probe.h"

enum {
    GROUPS_AREA_BYTES = 16384, /* of the memory that a loop uses */
    GROUPS_STRIDED = 32        /* addresses that a loop with a stride uses */
};

struct load_store_groups {
    const struct area *area;
    const struct emit_access *access;
    unsigned loads, stores; /* of a group; at least one access in all */
    unsigned span;   /* bytes that loads touch, densely, and stores as well: a multiple of the access, at most 2048 */
    unsigned stride; /* bytes between accesses, for groups of one access, which have no span; 0: none */
    bool shuffled;
    bool fewer_registers; /* loads write one register fewer, or one pair, in turn: five in place of six */
};

/*
 * Builds the loop, whose context is struct load_store_groups: for sample_cycles. Sets the data, units and warm-up of
 * *k, whose other members stay. False when the probe is over.
 */
bool load_store_groups_build(struct probe *p, void *context, struct kernel *k);

#endif
