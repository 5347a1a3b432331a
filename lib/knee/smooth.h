/*
 * Curves without a knee: how well does one smooth curve explain what looks like two lines? docs/METHODS.md, 2.6.
 *
 * A curved line can always be cut into straight pieces, and the cuts are no structures. Before a knee is reported,
 * the smooth curves that measurements take (parabola in x, in the number of the point, in log x; a + b / x + c x; a +
 * b sqrt x + c x) are fitted to the same points. Each has three parameters, fewer than any curve with a knee.
 */
#ifndef FATHOM_LIB_KNEE_SMOOTH_H
#define FATHOM_LIB_KNEE_SMOOTH_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/knee/curve.h"

/*
 * Returns the least sum of squares of points first … end - 1 about any of the smooth curves, each square divided by the
 * variance of its point. x is ascending.
 */
double smooth_cost(const struct series *s, size_t first, size_t end);

/*
 * What an explanation without a knee may use besides one smooth curve; 0: nothing. Bursts, up to BURST_POINTS
 * neighbours that were measured once, may be set aside in any case: each of their points adds OUTLIER to the sum of
 * squares.
 */
enum {
    LONE_POINTS = 1, /* single points far off the curve: each adds OUTLIER to the sum of squares */
    DROPS = 2,       /* instead of a smooth curve two lines, of which the second begins lower than the first ends */
    GRADUAL = 4,     /* nothing more, but also in a search the curve may be off by c->least_rise: for ramps */
};

/*
 * Whether points first … end - 1 cannot do without the knee whose fit leaves a sum of squares of `cost`, in variances.
 * `without` says what an explanation without a knee may use (flags above). The knee is needed if the best such
 * explanation leaves more than `cost` by at least `gain`, or by `gain` times cost / (end - first) where that is more,
 * and no smooth curve stays within c->least_rise standard deviations of the points. *good becomes false when memory is
 * short.
 */
bool needs_knee(const struct curve *c, size_t first, size_t end, double cost, double gain, unsigned without,
                bool *good);

/*
 * Whether points first … end - 1 cannot be distinguished from one smooth curve: one of them stays within c->least_rise
 * standard deviations of the points, bursts aside. *good becomes false when memory is short.
 */
bool goes_on_smoothly(const struct curve *c, size_t first, size_t end, bool *good);

/*
 * Whether knee k among points first … end - 1 rises by more than c->least_rise standard deviations of a point, as they
 * are on the noisier of its two sides, and by more than TICKS_OF_RISE ticks of the clock. Where many points follow that
 * all lie clearly above the level before it, only the points of that level count: however much the others scatter, none
 * comes back. *good becomes false when memory is short.
 */
bool stands_out(const struct curve *c, size_t first, size_t end, const struct knee *k, bool *good);

#endif
