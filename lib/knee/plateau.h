/*
 * The second view of a curve: plateaus, found by medians and signs. No fitted line, square or weight decides where one
 * ends, so that what misleads least squares (a tail, a wrong weight, a curved level) does not mislead this view in the
 * same way. docs/METHODS.md, 2.5.
 *
 * A plateau is followed from its first point on. It is left where nearly all of the next points, and most of all that
 * follow, lie above its median by more than noise. The next plateau begins where y grows no more. Around the
 * departure y is made isotonic (pool adjacent violators: Ayer, Brunk, Ewing, Reid, Silverman 1955), and the beginning
 * of the rise is extrapolated from where it passes a quarter and a half of its height, since noise hides the
 * beginning itself; not farther than to the last point that contradicts a straight rise, since not every rise is
 * straight.
 */
#ifndef FATHOM_LIB_KNEE_PLATEAU_H
#define FATHOM_LIB_KNEE_PLATEAU_H

#include <stdbool.h>
#include <stddef.h>

/* A plateau that is left for good. */
struct departure {
    double low, high;     /* x between which it is left */
    double half_rise;     /* x at which the rise passes half of its height */
    double begin;         /* x to which the rise extrapolates back, or of the last point before it */
    double end;           /* x at which the next plateau begins */
    size_t first, last;   /* points among which y rises */
    double before, after; /* heights of the plateaus on both sides */
};

/*
 * Finds the rises among points of ascending x, none of them NaN. Returns how many there are, ascending, at most `room`;
 * (size_t)-1 when memory is short.
 */
size_t plateau_departures(const double *x, const double *y, size_t count, struct departure *out, size_t room);

/*
 * The x at which y is half way from the plateau before departures[0] to the one behind the last departure. Several
 * departures are taken for one rise, since noise on a wide rise looks like plateaus. False when memory is short.
 */
bool plateau_half_rise(const double *x, const double *y, const struct departure *departures, size_t count,
                       double *half);

/*
 * Whether y jumps behind point `at`: LOOK_AHEAD points on each side are all on one side of a gap that is wide compared
 * with any change between neighbours on either side, be it noise or slope. That needs no plateaus. At least
 * PLATEAU_POINTS points before it and two behind it.
 */
bool plateau_jump(const double *y, size_t count, size_t at);

/* Replaces y[0 … count - 1] by the nearest non-decreasing sequence in least squares. False when memory is short. */
bool isotonic(double *y, size_t count);

#endif
