/*
 * Thresholds of lib/structure for experiments on loads and stores.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_MEMORY_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_MEMORY_H

/* ---- Speculation and rates (store_speculation.c, load_store_rates.c) ---------------------------------- */

/*
 * Part by which steps whose loads depend on their stores take longer, at least, than steps whose loads do not, where
 * loads speculate past stores. Chosen: a load that waits makes its step about twice as long, so a third is well below
 * that.
 */
static const double WAIT_PART = 0.3;
/*
 * Part of the cost of a wrong speculation that may be unknown. The median of n samples is known to within about the
 * distance of the quartiles divided by the root of n. Chosen: 2 %, as for grade B.
 */
static const double COST_KNOWN_PART = 0.02;
/* Groups a cycle from which on a group is sustained. Chosen: 1, less the 2 % that calibrated time may be wrong by. */
static const double SUSTAINED = 0.98;

/* ---- Paths of forwarding (forwarding_paths.c, forwarding_reference.c) ---------------------------------- */

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
