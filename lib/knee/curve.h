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

struct curve {
    struct series s;
    double *error; /* standard error of each point by its repetitions; NaN: unknown */
    double step;   /* finest difference of x that means something */
    double sigma;  /* deviation of a typical point; 0: the curve repeats exactly */
    /*
     * Least height of a knee, in deviations of a single point. If the errors of points were independent, many points
     * would show a much smaller difference. They are not: drift, lasting states of the core and bursts of disturbance
     * affect neighbouring points alike, and averaging does not remove that.
     */
    double least_rise;
    /* Deviation of what neighbours in one pass have in common, relative to their height; 0: nothing is known. */
    double common;
    size_t common_places; /* places along the curve that this was estimated from */
    double tick;          /* tick of the clock where it is coarser than the noise; 0: none shows */
    double penalty;       /* gain in sum of squares that a cut must bring; by the number of places tried */
};

/*
 * Makes a curve of the points that have a y. With fewer than POINTS_AT_LEAST of them no variance is set. False when
 * memory is short.
 */
bool curve_load(const struct knee_point *points, size_t count, double step, struct curve *c);
void curve_release(struct curve *c);

/*
 * Stores the running medians of s in out: over seven points, over fewer near the ends, where more would shift them on a
 * slope. The first value is the median of the second to fourth point, or what that and the median of the fourth to
 * sixth extrapolate to, whichever is nearer to the first point; the last value likewise. Six points at least.
 */
void curve_medians(const struct series *s, double *out);

/*
 * Deviation of a typical point among first … end - 1: by its neighbours or by its repetitions, whichever is larger, but
 * at most what the variances of the points say. `scratch` has room for as many points. 0 where there are none.
 */
double curve_deviation(const struct curve *c, size_t first, size_t end, double *scratch);

/* The same by neighbours alone; NaN with fewer than five points. */
double curve_scatter(const struct curve *c, size_t first, size_t end, double *scratch);

/* Natural logarithm of a positive number by chords within each octave: too low by 0.06 at most. */
double ln_rough(double v);
/* Binary logarithm of to / from, both positive; the logarithm is interpolated linearly, with an error below 0.09. */
double octaves(double from, double to);

#endif
