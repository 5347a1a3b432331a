/*
 * The second view of a curve: plateaus by ranks and medians. No line, no square and no weight enters, so that what
 * fools least squares (a tail, a wrong weight, a bent level) does not fool this in the same way.
 *
 * The curve is cut where the rank test of Pettitt (A non-parametric approach to the change-point problem, Applied
 * Statistics 28, 1979) sees a change, and its parts again. Parts of a few points at least are plateaus, neighbours
 * of one height are one. Between two plateaus y is made isotonic (pool adjacent violators: Ayer, Brunk, Ewing, Reid,
 * Silverman 1955), and the rise is followed back from where it passes a quarter and a half of the height.
 */
#ifndef FATHOM_LIB_PLATEAU_H
#define FATHOM_LIB_PLATEAU_H

#include <stdbool.h>
#include <stddef.h>

/* Where a plateau is left for good: between `low` and `high`; the rise passes half way up at `half`. */
struct departure {
    double low, high, half;
};

/*
 * Finds the rises among points of ascending x, none of them NaN. Returns how many there are, ascending, at most
 * `room`; (size_t)-1 when memory is short.
 */
size_t plateau_departures(const double *x, const double *y, size_t count, struct departure *out, size_t room);

/* Makes y[0 … count - 1] the nearest non-decreasing sequence in least squares. False when memory is short. */
bool isotonic(double *y, size_t count);

#endif
