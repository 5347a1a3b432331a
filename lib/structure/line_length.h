/*
 * The line length of the first-level data cache. It is needed before the capacity is measured, since a pointer chase
 * puts one pointer on each line (docs/METHODS.md, 7.1).
 */
#ifndef FATHOM_LIB_STRUCTURE_LINE_LENGTH_H
#define FATHOM_LIB_STRUCTURE_LINE_LENGTH_H

#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"

/*
 * Sets *bytes to the line length, POINTER_CHASE_LINE_BYTES times a power of two: no less than declared or measured
 * before. Where neither is known it measures whether a second load hits that goes to 64 or 128 bytes after a first one
 * that misses: then both are on one line. Where that shows nothing, and in a smoke run, *bytes is
 * POINTER_CHASE_LINE_BYTES. The area of `chase` should be several times as large as the cache. False: the probe has
 * ended.
 */
bool line_length_find(struct probe *p, const struct pointer_chase *chase, size_t *bytes);

#endif
