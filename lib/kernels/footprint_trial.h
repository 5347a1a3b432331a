/*
 * Trials of branch history: two paths of taken branches, equal but for chosen bits of the addresses (sources) and
 * targets of one or two of the branches. lib/kernels/history_paths.h makes code of a trial, lib/structure/footprint.h
 * draws conclusions from many.
 */
#ifndef FATHOM_LIB_KERNELS_FOOTPRINT_TRIAL_H
#define FATHOM_LIB_KERNELS_FOOTPRINT_TRIAL_H

#include <stddef.h>
#include <stdint.h>

enum { FOOTPRINT_TRIAL_BRANCHES = 2 };

/* Address bits that are inverted together. */
struct footprint_bits {
    uint64_t source, target;
};

/*
 * Whether the two paths differ by a carry, which is how they can differ in a bit that cannot be inverted alone: then
 * all bits of the page number up to that bit differ, of the source or of the target of branch[0].
 */
enum footprint_carry { FOOTPRINT_NO_CARRY, FOOTPRINT_CARRY_SOURCE, FOOTPRINT_CARRY_TARGET };

/* Two paths that differ in the given bits of one or two branches, and are the same in all other branches. */
struct footprint_trial {
    struct footprint_bits branch[FOOTPRINT_TRIAL_BRANCHES];
    size_t count;
    unsigned between; /* branches between the two, the same on both paths */
    enum footprint_carry carry;
    unsigned behind; /* branches after those, the same on both paths */
};

#endif
