/*
 * Does y change with x or with time? Where the core drifts, changes its clock or has a neighbour for a while during a
 * sweep, the curve shows this as a change over x, and neither lines nor medians can distinguish the two. Several passes
 * can: one pass differs from all together only by what changed with time, whatever the curve is. docs/METHODS.md, 2.7.
 */
#ifndef FATHOM_LIB_KNEE_PASSES_H
#define FATHOM_LIB_KNEE_PASSES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/knee/knee.h"

/*
 * Estimates the standard deviation of what neighbours in one pass have in common, relative to their height, since what
 * slows a core slows everything it does. *places is the number of places along the curve that the estimate comes from:
 * few give a rough one. False when memory is short.
 */
bool passes_deviation(const struct knee_point *points, size_t count, const struct knee_passes *passes,
                      double *deviation, size_t *places);

/*
 * Whether every pass shows a knee: from before it to behind its rise, the distance of the pass from the points
 * changes by less than PASS_SHARE of the rise. *good becomes false when memory is short.
 */
bool passes_show(enum knee_kind kind, const struct knee_point *points, size_t count, const struct knee_passes *passes,
                 const struct knee *k, bool *good);

#endif
