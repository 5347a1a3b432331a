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

/* Least sum of squares of points first … end - 1 about any of the smooth curves, in variances; x ascending. */
double smooth_cost(const struct series *s, size_t first, size_t end);

/* What an explanation without a knee may use, besides one smooth curve. */
enum {
    LONE_POINTS = 1, /* single points far off the curve, for a price each */
    DROPS = 2,       /* two lines of which the second begins lower than the first ends */
    GRADUAL = 4,     /* nothing more, but also in a search it may be off by c->least_rise: the knee is a ramp */
};

/*
 * Whether points first … end - 1 have to have the knee that leaves a sum of squares of `cost`: the best explanation
 * without one (`without`: flags above) must be worse by `gain`, and some neighbours must be farther off every smooth
 * curve than c->least_rise allows. *good becomes false when memory is short.
 */
bool needs_knee(const struct curve *c, size_t first, size_t end, double cost, double gain, unsigned without,
                bool *good);

/* Whether points first … end - 1 can't be distinguished from one smooth curve. *good as above. */
bool goes_on_smoothly(const struct curve *c, size_t first, size_t end, bool *good);

/*
 * Whether a knee among points first … end - 1 rises by more than c->least_rise deviations of the noisier of its sides,
 * and by more than TICKS_OF_RISE ticks of the clock. *good as above.
 */
bool stands_out(const struct curve *c, size_t first, size_t end, const struct knee *k, bool *good);

#endif
