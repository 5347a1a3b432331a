/*
 * Overflow: what a set-associative table misses when more neighbours are used than it holds, in order, round and round.
 *
 * Of n neighbours, n / sets fall into each set, and one more into some. A set that has no more than it has ways misses
 * nothing. What a fuller one misses depends on how it replaces entries, and for most policies on nothing else:
 *
 *   LRU         misses all of a set that is too full. The share rises from the capacity on, by a set with each one more,
 *               until every set is too full, and stays
 *   RANDOM      misses some, more and more
 *   NRU_SHARED  NRU with bits that are set again in all sets at once, when one set has none left. The fullest sets use
 *               up their bits first and miss all of their entries; the others still have some that were used, and keep
 *               these. So the share is one where all sets are equally full, falls with the first one more, as then a
 *               single set is fullest, and climbs until all are again: a saw-tooth with a tooth each `sets`. Redwood
 *               Cove's instruction TLB, 32 sets of 8 ways, has one, at 289, 321, 353 … pages (jia.je 2025)
 *
 * No policy whose sets are independent shows such a fall: one more in a set changes only what that set misses, so that
 * all together miss at most as many less as that set has.
 *
 * Method: docs/METHODS.md, 5.21.
 */
#ifndef FATHOM_LIB_STRUCTURE_OVERFLOW_H
#define FATHOM_LIB_STRUCTURE_OVERFLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/structure/replacement.h"

enum { OVERFLOW_FALLS = 96 /* bytes of numbers behind falls, as text */ };

/* What was measured with that many neighbours: cycles that each of them takes, on two layouts; NaN: not measured. */
struct overflow_point {
    unsigned count;
    double cycles[2];
};

/* How far the curve rises from `level`, on the layout where that is less. NaN: not known. */
double overflow_rise(const struct overflow_point *points, size_t count, double level);

/* Falls from one number to the next. */
struct overflow_falls {
    size_t count, doubtful; /* on both layouts; too low to be sure whether they are there */
    unsigned period; /* from the first to the next, and a part of all distances; 0: fewer than three, or no such part */
    char numbers[OVERFLOW_FALLS]; /* behind falls: "289, 321, 353" */
};
/*
 * Finds falls. `points` follow each other by one, from the capacity on; `level` is what each neighbour takes up to
 * there. Of the rise from there a fall is OVERFLOW_FALL at least.
 */
struct overflow_falls overflow_falls(const struct overflow_point *points, size_t count, double level);

/* The share of `count` neighbours that so many sets of so many ways miss by NRU_SHARED. NaN: out of memory. */
double overflow_shared(unsigned sets, unsigned ways, unsigned count);
/*
 * Whether that is what was measured: at all points up to twice the capacity but for one in REPLACEMENT_NOISY_ONE_IN,
 * which may have been disturbed. What a miss costs is fitted. `ways`: up to REPLACEMENT_WAYS.
 */
bool overflow_is_shared(unsigned sets, unsigned ways, const struct overflow_point *points, size_t count, double level);

#endif
