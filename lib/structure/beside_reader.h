/*
 * Edges of caches that hold lines of the program that measures, besides those of the kernel (docs/METHODS.md, 7.1).
 *
 * Between two kernels the reader (arch/reader.h) touches its stack and its list of readings. A footprint that leaves all
 * sets but a few of them one line too small has room for these; one that fills the cache has not, and the first misses
 * appear below the capacity, from where the first set is full: a whole way below it. What the reader's lines cost is
 * bounded, however: each falls into one set, and makes at most all lines of that set miss in a round. So a footprint
 * is surely too large only when it misses more than that. Until there the interval reaches.
 */
#ifndef FATHOM_LIB_STRUCTURE_BESIDE_READER_H
#define FATHOM_LIB_STRUCTURE_BESIDE_READER_H

#include "lib/knee/knee.h"
#include "lib/knee/search.h"

/*
 * The verdict of a search over footprints in bytes, of which each line is accessed once a round: with intervals that
 * reach to the first footprint that misses more lines than the reader can cause, or to the end of the rise.
 */
struct verdict beside_reader(const struct search *s, double line_bytes);

#endif
