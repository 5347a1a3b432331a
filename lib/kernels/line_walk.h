/* A walk over the lines of a buffer, one word of each, in order, and from its beginning again behind its end. */
#ifndef FATHOM_LIB_KERNELS_LINE_WALK_H
#define FATHOM_LIB_KERNELS_LINE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/emit.h"

enum { LINE_WALK_LINE = 64 /* bytes */, LINE_WALK_LINES = 16 /* of an iteration, of which a buffer has a multiple */ };

/* Where a walk continues, and how many iterations there are to the end of the buffer. */
struct line_walk {
    uint64_t at, left;
};

/* The walk at the beginning of a buffer of so many bytes. */
struct line_walk line_walk_start(uint64_t at, size_t bytes);
/*
 * Emits as many iterations over that buffer as REG_COUNT says, of loads or stores. The struct line_walk is where REG_DATA
 * points to. Uses T0, T3 and T4.
 */
void line_walk_emit(struct code *c, uint64_t at, size_t bytes, bool stores);

#endif
