/*
 * Straight code: lines full of NOPs, over and over. How many NOPs share a line is a free choice where NOPs have many
 * lengths, which tells structures that hold bytes from those that hold operations.
 */
#ifndef FATHOM_LIB_KERNELS_STRAIGHT_H
#define FATHOM_LIB_KERNELS_STRAIGHT_H

#include "lib/probe.h"

/* The unit of what is emitted here, and of every front end in scope; lines of caches may be longer. */
enum { STRAIGHT_LINE_BYTES = 64 };

/* Whether a line can be filled by so many NOPs whose lengths differ by a byte at most, evenly spread. */
bool straight_fits(unsigned per_line);
/* How many NOPs of such a line begin in the first so many bytes of it. */
unsigned straight_begin(unsigned per_line, unsigned bytes);
/*
 * A loop over so many lines, two at least, of so many NOPs each; the last one has fewer, and the loop's end. The unit
 * is a NOP.
 */
bool straight_build(struct probe *p, size_t lines, unsigned per_line, struct kernel *k);

#endif
