/*
 * Curves without a knee: how well does one smooth curve explain what looks like two lines?
 *
 * A bent curve can always be cut into straight pieces, and the cuts between them are no structures. So before a knee
 * is told, the smooth curves that measurements take (growth with a root, the logarithm, the square of x; a cost that
 * is shared out among x) are tried on the same points. Each has three parameters, fewer than any curve with a knee.
 */
#ifndef FATHOM_LIB_ENGINE_SMOOTH_H
#define FATHOM_LIB_ENGINE_SMOOTH_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/engine/curve.h"

/* Sum of squares that the best smooth curve leaves of points first … end - 1, in variances; x ascending. */
double smooth_cost(const struct series *s, size_t first, size_t end);

/* What a curve without a knee may have, besides being smooth; SLOW: what is told from it is no step. */
enum { LONE_POINTS = 1, DROPS = 2, SLOW = 4 };

/*
 * Whether points first … end - 1 have to have the knee that costs `cost`: whether what has none explains them worse, by
 * `gain` at least, and some neighbours are so far off every smooth curve that it is `outstanding`. Points that stand
 * alone, where they may be, are held against the knee only. *good becomes false when memory is short.
 */
bool needs_knee(const struct curve *c, size_t first, size_t end, double cost, double gain, unsigned without,
                bool *good);

/* Whether one smooth curve is nowhere so far off points first … end - 1 that it could be told from them. */
bool goes_on_smoothly(const struct curve *c, size_t first, size_t end, bool *good);

/*
 * Whether a knee among points first … end - 1 is `outstanding`, on that side of it where points scatter more. *good
 * becomes false when memory is short.
 */
bool stands_out(const struct curve *c, size_t first, size_t end, const struct knee *k, bool *good);

#endif
