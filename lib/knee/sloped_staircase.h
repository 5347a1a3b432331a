/*
 * Staircase whose steps slope: y over n = 1, 2, 3 … where each n adds a little, and each w-th begins a new round and
 * adds much. docs/METHODS.md, 4.17. Example: page walks. Each takes its turn at the caches, and one more than there
 * are walkers waits for a whole walk. lib/knee/staircase.h handles level steps, where a point differs from its step
 * only by noise; here steps are about straight at best, and rounds overlap more the later they are.
 *
 * Model: y = a + b n + c n^2 + r floor((n - 1) / w), by least squares for each w. The best w must be LIKELIER times as
 * likely as any other one and as a cubic, which has as many parameters and no steps (normal residuals of unknown size:
 * (S' / S)^(n/2)). Besides, the first two risers must show without a model: no two neighbours up to the second riser
 * differ by half as much as those at a riser.
 */
#ifndef FATHOM_LIB_KNEE_SLOPED_STAIRCASE_H
#define FATHOM_LIB_KNEE_SLOPED_STAIRCASE_H

#include <stddef.h>

enum { SLOPED_STAIRCASE_POINTS = 64 /* most points; at least 8 are needed */ };

/*
 * The width w, at least 2, of the staircase y[0 … count - 1], where y[0] is n = 1. NaN: it is none, not two of its
 * risers show, a y is NaN, or there are fewer than 8 or more than SLOPED_STAIRCASE_POINTS numbers.
 */
double sloped_staircase_width(const double *y, size_t count);

#endif
