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
 * Estimates the error that neighbouring points in one pass share: its standard deviation, relative to their height,
 * since what slows a core slows everything it does. Each five neighbouring points give one estimate, from how far the
 * medians of the passes there lie apart; *places is the number of these estimates: with few of them *deviation is
 * rough, with 0 it is 0. passes->count is at least 2. False when memory is short.
 */
bool passes_deviation(const struct knee_point *points, size_t count, const struct knee_passes *passes,
                      double *deviation, size_t *places);

/*
 * Whether every pass shows knee k: along its rise, from just before to just after it, the distance of the pass from
 * `points` varies by less than PASS_SHARE of the height of the rise. *good becomes false when memory is short.
 */
bool passes_show(enum knee_kind kind, const struct knee_point *points, size_t count, const struct knee_passes *passes,
                 const struct knee *k, bool *good);

#endif
