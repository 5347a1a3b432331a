/*
 * Curves without a knee: how well does one smooth curve explain what looks like two lines?
 *
 * A bent curve can always be cut into straight pieces, and the cuts between them are no structures. So before a knee
 * is told, the smooth curves that measurements take (growth with a root, the logarithm, the square of x; a cost that
 * is shared out among x) are tried on the same points. Each has three parameters, fewer than any curve with a knee.
 */
#ifndef FATHOM_LIB_SMOOTH_H
#define FATHOM_LIB_SMOOTH_H

#include <stddef.h>

#include "lib/segment.h"

/*
 * Sum of squares that the best smooth curve leaves of points first … end - 1, in variances; x ascending.
 */
double smooth_cost(const struct series *s, size_t first, size_t end);

#endif
