/*
 * The second view of a curve: plateaus by medians and signs. No line, no square and no weight enters, so that what
 * fools least squares (a tail, a wrong weight, a bent level) does not fool this in the same way.
 *
 * A plateau is followed from its first point on. It is left where nearly all of the next points, and most of all that
 * follow, lie above its median by more than noise. From there the next plateau is looked for, where y grows no more.
 * Around that y is made isotonic (pool adjacent violators: Ayer, Brunk, Ewing, Reid, Silverman: An empirical
 * distribution function for sampling with incomplete information, Annals of Mathematical Statistics 26, 1955), and
 * the rise is followed back from where it passes a quarter and a half of its height, since noise hides how it begins;
 * up to the points on the way that say otherwise, since not every rise is straight.
 */
#ifndef FATHOM_LIB_ENGINE_PLATEAU_H
#define FATHOM_LIB_ENGINE_PLATEAU_H

#include <stdbool.h>
#include <stddef.h>

/* Where a plateau is left for good: between `low` and `high`; the rise passes half way up at `half`. */
struct departure {
    double low, high, half;
    double begin;         /* where what is straight of the rise leads back to, or the last points before it */
    double end;           /* where the next plateau begins */
    size_t first, last;   /* points among which it rises */
    double before, after; /* heights of the plateaus on its sides */
};

/*
 * Finds the rises among points of ascending x, none of them NaN. Returns how many there are, ascending, at most
 * `room`; (size_t)-1 when memory is short.
 */
size_t plateau_departures(const double *x, const double *y, size_t count, struct departure *out, size_t room);

/*
 * Where y is half way from the plateau before departures[0] to the one after the last of them: noise on a wide rise is
 * easily taken for plateaus. NaN when memory is short.
 */
double plateau_half(const double *x, const double *y, const struct departure *departures, size_t count);

/* Makes y[0 … count - 1] the nearest non-decreasing sequence in least squares. False when memory is short. */
bool isotonic(double *y, size_t count);

#endif
