/*
 * Thresholds of lib/structure for experiments on loads and stores: store_speculation.c and load_store_rates.c.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_MEMORY_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_MEMORY_H

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

#endif
