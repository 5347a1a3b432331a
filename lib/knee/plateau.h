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
 * Finds where plateaus are left among `count` points of ascending x, none of them NaN, and stores these places in out,
 * ascending. Returns their number, at most `room`: later ones are not looked for. (size_t)-1 when memory is short.
 */
size_t plateau_departures(const double *x, const double *y, size_t count, struct departure *out, size_t room);

/*
 * Sets *half to the x at which y is half way from the plateau before departures[0] to the one after the last of the
 * `count` departures, at least one. They are taken for one rise, since noise on a wide rise looks like plateaus. x and
 * y are those that plateau_departures was given. False when memory is short.
 */
bool plateau_half_rise(const double *x, const double *y, const struct departure *departures, size_t count,
                       double *half);

/*
 * Whether y jumps up between points `at` and at + 1, on plateaus or not: the lowest of the next LOOK_AHEAD points is
 * above the highest of the LOOK_AHEAD points up to `at` by more than JUMP_OVER times the greatest change between
 * neighbours on either side. False with fewer than PLATEAU_POINTS points up to `at`, or fewer than two after it.
 */
bool plateau_jump(const double *y, size_t count, size_t at);

/* Replaces y[0 … count - 1] by the nearest non-decreasing sequence in least squares. False when memory is short. */
bool isotonic(double *y, size_t count);

#endif
