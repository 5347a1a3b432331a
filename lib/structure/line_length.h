/*
 * The length of the first level's lines, before anything else is known of it: chases put one pointer on each line
 * (docs/METHODS.md, 7.1).
 */
#ifndef FATHOM_LIB_STRUCTURE_LINE_LENGTH_H
#define FATHOM_LIB_STRUCTURE_LINE_LENGTH_H

#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"

/*
 * Sets *bytes to the length of the first level's lines, as declared or measured before, or else as the costs of second
 * loads at the distances of 64 and 128 bytes show it: POINTER_CHASE_LINE_BYTES, or more. The chase's area should be
 * several times as large as the cache. False: the probe has ended.
 */
bool line_length_find(struct probe *p, const struct pointer_chase *chase, size_t *bytes);

#endif
