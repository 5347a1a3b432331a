/*
 * Where a level is left, by how much its own points scatter. docs/METHODS.md, 2.4.
 *
 * A fit of the whole rise by least squares places its beginning where most of the rise is. A level has been left as
 * soon as points lie above it by more than it scatters, however small a part of the rise that is. So the level is
 * followed point by point: the line through the last LEVEL_REACH points that belong to it predicts the next one. A
 * point more than OUTLIER standard deviations above that line is off the level, one less than SURE above it is on the
 * level. Once a point is off, the level counts as left, unless later more points in a row are on it than points have
 * been off it.
 */
#ifndef FATHOM_LIB_KNEE_EDGE_H
#define FATHOM_LIB_KNEE_EDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/knee/curve.h"

struct edge {
    /*
     * The last point before those that may be off the level, as they lie more than SURE above it. Where points among
     * these lie on the level, they are no more in a row than those that may be off.
     */
    size_t low;
    size_t good;              /* the last point before the first one that is off the level */
    size_t bad;               /* from this point on none comes back to the level or most of the way to it */
    double deviation, height; /* standard deviation of a point of the level; y of the level's line at point `good` */
    double first;             /* how far above the level the first point is that is off */
};

/*
 * Follows a level through points first … end - 1, of which first … known belong to it whatever they look like. sloped:
 * the level may slope. least: a point must also lie this far above the level, in y, to be off. half: y half way up the
 * rise. A later point has come back if it lies above the level by less than BACK_PART of the highest rise so far, or
 * than BACK_PART of the way to `half`, whichever is less. False where the level is not left, or where y still comes
 * back at point end - 1.
 */
bool edge_find(const struct curve *c, size_t first, size_t known, size_t end, bool sloped, double least, double half,
               struct edge *out);

#endif
