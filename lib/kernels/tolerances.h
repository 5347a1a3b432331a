/*
 * Thresholds of lib/kernels: how the cycles of a store and a load that meet are sorted into paths (docs/METHODS.md,
 * 4.16).
 */
#ifndef FATHOM_LIB_KERNELS_TOLERANCES_H
#define FATHOM_LIB_KERNELS_TOLERANCES_H

/*
 * Cycles by which pairs of one path may differ. Paths through a core differ by whole cycles, so half of one keeps them
 * apart.
 */
static const double SAME_PATH_CYCLES = 0.5;
/*
 * The same as a part of the cycles; the larger of the two counts. How long a load is blocked depends on when the store
 * retires: chosen wide enough for that.
 */
static const double SAME_PATH_PART = 0.08;
/*
 * Part of a load's cycles below which a pair was renamed, or its value predicted. A load that is forwarded to takes
 * about as long as one from the cache. Measured on Zen 4: a renamed pair takes 1 cycle, across a line 2, where a load
 * takes 4.
 */
static const double RENAMED_PART = 0.75;
/*
 * The same where one chain is judged alone, without clusters of other chains to compare with. Chosen: half, so that a
 * value between this and RENAMED_PART does not count as renamed.
 */
static const double RENAMED_PART_ALONE = 0.5;

#endif
