/*
 * Tolerances of rows of DRAM (docs/METHODS.md, 9.7): what each one means and where its value comes from.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_ROWS_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_ROWS_H

/*
 * The quantile of readings that counts. Chosen: of 16 readings the third or fourth shortest, so that
 * two may be wrong by themselves.
 */
static const double ROWS_QUANTILE = 1.0 / 6;
/*
 * A load whose row conflicts takes longer than one whose row is open by this much at least, in nanoseconds. Precharge
 * and activation take 10 each at least (JEDEC JESD79-4: tRP and tRCD of the fastest bins are 12.5); chosen: half of
 * both.
 */
static const double ROWS_CONFLICT_NS = 10;
/*
 * A pair conflicts only if it takes longer than the middle of all by so many times the middle distance from it, which
 * is 0.67 standard errors of noise that is normal: six of these.
 */
static const double ROWS_APART = 9;
/*
 * No more than this part of the pairs may take something in the middle third between both: with normal noise whose six
 * standard errors fit between both, 2 of 100 do. Chosen: five times that.
 */
static const double ROWS_BETWEEN = 0.1;
/* A question is answered wrong so often at most: by noise as above, once in 700 times; chosen for one in twenty. */
static const double ROWS_WRONG_ANSWERS = 0.05;

#endif
