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

/* ---- Refresh (refresh_period.c) ----------------------------------------------------------------------------------- */

/*
 * The shortest period that is tried, in nanoseconds. A rank is refreshed every 3.9 µs or 1.95 (JEDEC JESD79-5, tREFI).
 * Chosen: a quarter below the shortest.
 */
static const double REFRESH_FROM_NS = 1500;
/*
 * The longest period that is tried, in nanoseconds. A rank is refreshed every 7.8 µs, or two or four times as often where
 * it is hot or so configured (JEDEC JESD79-4, tREFI). Chosen: more than twice that.
 */
static const double REFRESH_TO_NS = 20000;
/* A burst lasts so many times the longest of them at least. Chosen: so that a bin of 16 is passed by several periods. */
static const double REFRESH_TURNS = 4;
/*
 * Nanoseconds by which a refresh makes a load longer, at most; beyond, something else does. A refresh takes 550 or less
 * (JESD79-4 and -5, tRFC). Chosen: nearly twice that.
 */
static const double REFRESH_MOST_NS = 1000;
/*
 * By how many standard deviations the statistic exceeds chance. Some thousand periods are tried, of which the best exceeds
 * chance by about four where none is true. Chosen: twice that.
 */
static const double REFRESH_EXCESS = 8;
/*
 * Part of what a period shows that a multiple of it shows beyond that, if it is the true one: all of it; otherwise
 * nothing. Chosen: half.
 */
static const double REFRESH_SHOWS_MORE = 0.5;

#endif
