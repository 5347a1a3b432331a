/*
 * Trials of branch history: two paths of taken branches, equal but for chosen bits of the addresses (sources) and targets
 * of one or two of the branches. lib/kernels/history_paths.h makes code of a trial, lib/structure/footprint.h draws
 * conclusions from many.
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

/* What else changes with a bit above those that can be chosen freely: by a carry, all bits from the first such one on. */
enum footprint_carry { FOOTPRINT_NO_CARRY, FOOTPRINT_CARRY_SOURCE, FOOTPRINT_CARRY_TARGET };

/* Two paths that differ in these bits of these branches, and `behind` branches that are the same on both. */
struct footprint_trial {
    struct footprint_bits branch[FOOTPRINT_TRIAL_BRANCHES];
    size_t count;
    unsigned between; /* branches between the two, the same on both paths */
    enum footprint_carry carry;
    unsigned behind;
};

#endif
