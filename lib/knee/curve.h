/*
 * A curve prepared for a decision: its points without single disturbed ones, each with its variance. docs/METHODS.md,
 * 2.3.
 *
 * Noise is estimated from how far each point lies off the line through its two neighbours, to which levels, slopes and
 * ramps contribute nothing: by height, since noise often grows with height, and by place. Where a point was measured
 * repeatedly, its variance is that of the repetitions plus what they do not explain of the distances between
 * neighbours, whose places in memory differ.
 */
#ifndef FATHOM_LIB_KNEE_CURVE_H
#define FATHOM_LIB_KNEE_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/knee/knee.h"
#include "lib/knee/segment.h"

/* Most pieces that a curve is cut into. */
enum { PIECES_MAXIMUM = 40 };
/* Parameters of a step: two heights and its place. */
enum { STEP_PARAMETERS = 3 };

struct curve {
    struct series s;
    double *error; /* standard error of each point by its repetitions; NaN: unknown */
    double step;   /* finest difference of x that means something */
    /*
     * A search measured the points. It measures more where something is not clear, so that less is decided here than
     * about a table, of which there are no more points: see where it is used.
     */
    bool searched;
    double sigma; /* deviation of a typical point; 0: the curve repeats exactly */
    /*
     * Least height of a knee, in standard deviations of a single point. A smaller rise is not reported, however many
     * points show it: drift, lasting states of the core and bursts of disturbance shift neighbouring points together,
     * and an average over them does not remove that.
     */
    double least_rise;
    /* Standard deviation of the error that neighbours in one pass share, relative to their height; 0: not known. */
    double common;
    size_t common_places;    /* places along the curve that this was estimated from */
    double least_difference; /* between neighbours that differ; 0: all are equal */
    double tick;             /* step of the clock, in units of y, where it is coarser than the noise; 0: none shows */
    double penalty;          /* by how much a cut must lower the sum of squares, in variances */
};

/*
 * Makes a curve of the points that have a y (not NaN), without single points that were measured once and are far off
 * the others, and sets the variance of each; the caller sets c->least_rise. `points`, `count` and `step` are those of
 * knee_decide. `searched`: a search measured them. With fewer than POINTS_AT_LEAST points
 * that have a y no variance is set. False when memory is short: then there is nothing to release.
 */
bool curve_load(const struct knee_point *points, size_t count, double step, bool searched, struct curve *c);
/* Frees what curve_load allocated. */
void curve_release(struct curve *c);

/*
 * Stores running medians of the y of s in out, which has room for s->count values: out[i] is the median of points i - 3
 * … i + 3, near the ends of as many on each side as there are on the shorter one. out[0] is the median of points 1 … 3,
 * or what that and the median of points 3 … 5 extrapolate to, whichever is nearer to point 0; the last value follows
 * from the last points in the same way. s must have six points at least.
 */
void curve_medians(const struct series *s, double *out);

/*
 * Returns the standard deviation of a typical point among first … end - 1: that by the distances from its neighbours or
 * that by its repetitions, whichever is larger, but at most the root of the median variance of these points. `scratch`
 * has room for end - first values. 0 where there are no points.
 */
double curve_deviation(const struct curve *c, size_t first, size_t end, double *scratch);

/*
 * Returns the standard deviation of a typical point among first … end - 1 by how far points lie off the line through
 * their two neighbours. `scratch` has room for end - first values. NaN with fewer than five points.
 */
double curve_scatter(const struct curve *c, size_t first, size_t end, double *scratch);

/*
 * Returns by how many times at most the true deviation exceeds the one that points show with so many degrees of freedom
 * (FEW_POINTS).
 */
double few_points(double degrees);
/* Natural logarithm of v > 0, interpolated linearly between powers of two: too low by 0.06 at most. */
double ln_rough(double v);
/* Binary logarithm of to / from, both positive; the logarithm is interpolated linearly, with an error below 0.09. */
double octaves(double from, double to);

#endif
