/*
 * Edges of caches that hold lines of the program that measures, besides those of the kernel (docs/METHODS.md, 7.1).
 *
 * Between two kernels the reader (arch/reader.h) touches its stack and its list of readings. A footprint that leaves
 * all sets but a few of them one line too small has room for these; one that fills the cache has not, and the first
 * misses appear below the capacity, from where the first set is full: a whole way below it. What the reader's lines
 * cost is bounded, however: each falls into one set, and makes at most all lines of that set miss in a round. So a
 * footprint is surely too large only when it misses more than that, and the interval reaches up to there.
 */
#ifndef FATHOM_LIB_STRUCTURE_BESIDE_READER_H
#define FATHOM_LIB_STRUCTURE_BESIDE_READER_H

#include "lib/knee/knee.h"
#include "lib/knee/search.h"

/*
 * Returns the verdict of a finished search over footprints in bytes, of which each line of line_bytes is accessed once
 * a round, with wider intervals: each knee's `high` becomes the first x from there on at which more lines miss than the
 * reader's own can cause (READER_LINES sets of MOST_WAYS lines), or the end of the rise if that comes first. A level on
 * which no more lines miss than that, and whose own edge is less than LEVELS_APART times as far, is part of the rise:
 * its two edges become one.
 */
struct verdict beside_reader(const struct search *s, double line_bytes);

#endif
