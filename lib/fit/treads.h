/*
 * Stairs whose treads slope: y over n = 1, 2, 3 … of which each adds a little, and each w-th begins a new round and adds
 * much. Page walks are an example: each takes its turn at the caches, and one more than there are walkers waits for a whole
 * walk. lib/engine/stairs.h has those of level treads, where noise is all that is between a point and its tread. Here treads
 * are only about as straight as they seem, and rounds run into each other the later the more.
 *
 * Model: y = a + b n + c n^2 + r floor((n - 1) / w), by least squares for each w. What is left tells which w it is, by how
 * many times likelier the points are with that than with any other, and than with a cubic, which has as many parameters and
 * no stairs (normal residuals of unknown size: (S' / S)^(n/2)). And the first two risers must be seen without any model: no
 * two neighbours as far as the second of them differ by half as much as those at a riser do.
 */
#ifndef FATHOM_LIB_FIT_TREADS_H
#define FATHOM_LIB_FIT_TREADS_H

#include <stddef.h>

enum { TREADS_POINTS = 64 /* at most */ };

/* The width w of y[0] (n = 1), y[1] …, of 2 and more; NaN: they are no such stairs, or two risers do not show. */
double treads_width(const double *y, size_t count);

#endif
