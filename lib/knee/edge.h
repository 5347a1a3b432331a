/*
 * Where a level is left, by what its own points scatter by. docs/METHODS.md, 2.4.
 *
 * Least squares over a whole rise look where most of the rise is. A level has been left as soon as points lie above it
 * by more than it scatters, however little that is of the rise that follows. The level is followed point by point: its
 * line through the last points that belong to it predicts the next one. A point OUTLIER deviations above that line is
 * off the level, one within SURE deviations is on it. Points that are off have left the level for good, unless more
 * points in a row than these are on it again.
 */
#ifndef FATHOM_LIB_KNEE_EDGE_H
#define FATHOM_LIB_KNEE_EDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/knee/curve.h"

struct edge {
    size_t low;               /* the last point before which no point is farther from the level than SURE */
    size_t good;              /* the last point before the first one that is off the level */
    size_t bad;               /* the first point behind which none comes back to the level, or near it */
    double deviation, height; /* of the level's points; of its line at point `good` */
    double first;             /* how far above the level the first point is that is off */
};

/*
 * Follows a level through points first … end - 1, of which first … known belong to it for certain. With `sloped` it may
 * slope. A point must also lie `least` above it to be off. What falls to less than BACK_PART of how far y was off, and of
 * the way to `half`, half of the rise, comes back. False where the level is not left.
 */
bool edge_find(const struct curve *c, size_t first, size_t known, size_t end, bool sloped, double least, double half,
               struct edge *out);

#endif
