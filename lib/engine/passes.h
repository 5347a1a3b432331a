/*
 * Time or x? Whoever goes along an axis while the core drifts, changes its clock or has a neighbour for a while sees
 * in x what lives in time, and neither lines nor medians can tell. Passes can: what one of them says differs from
 * what all of them say together by what time did meanwhile, whatever the curve is, and what lives in x is no part of
 * that.
 */
#ifndef FATHOM_LIB_ENGINE_PASSES_H
#define FATHOM_LIB_ENGINE_PASSES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/engine/knee.h"

/*
 * The standard deviation of what neighbours in one pass have in common, relative to their height, since what slows a
 * core slows all that it does. False when memory is short. It is told from `*places` places: from few of them only roughly.
 */
bool passes_apart(const struct knee_point *points, size_t count, const struct knee_passes *passes, double *deviation,
                  size_t *places);

/*
 * Whether most passes bear a knee out: from before it to where its rise has ended they differ from the points by one
 * amount, but for less than half of the rise. *good becomes false when memory is short.
 */
bool passes_bear_out(enum knee_kind kind, const struct knee_point *points, size_t count,
                     const struct knee_passes *passes, const struct knee *k, bool *good);

#endif
