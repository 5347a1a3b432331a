/*
 * A curve made ready to be decided about: its points without single disturbed ones, each with its variance.
 *
 * Noise is told from how far points lie off the line through their neighbours, since levels, slopes and ramps leave
 * nothing of that, by height, since it often grows with that, and by place. What repetitions of a point say about it
 * is part of that: a point scatters as they do, and besides as its place in memory differs from its neighbours'.
 */
#ifndef FATHOM_LIB_ENGINE_CURVE_H
#define FATHOM_LIB_ENGINE_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/engine/knee.h"
#include "lib/engine/segment.h"

enum {
    POINTS_AT_LEAST = 6,
    PIECES_MAXIMUM = 40,
};

/* The share of a normal sample's median absolute deviation; Rousseeuw, Croux: JASA 88 (1993). */
static const double MAD_TO_SIGMA = 1.4826;
/* A single point that is so many deviations off the running median is not the core's doing. */
static const double SPIKE = 6;
/* A rise is at least so many deviations of a point; */
static const double RISE = 3;
/* so many where nobody has looked a second time whether it is there. */
static const double RISE_SEEN_ONCE = 4;

struct curve {
    struct series s;
    double *error;
    double step;
    double sigma; /* of a typical point; 0: the curve repeats exactly */
    /*
     * Deviations of a single point that a knee has to be high. From many points a difference much smaller than one
     * deviation would follow if their errors were independent. In a drift, in states of a core that last, in a burst
     * they are not: what neighbours have in common no number of them averages out.
     */
    double outstanding;
    /* What neighbours are known to have in common of that, relative to their height; 0: nothing is known. */
    double together;
    size_t places;  /* from so many places */
    double tick;    /* of the clock, where it is coarser than the noise; 0: none shows */
    double penalty; /* what a cut has to gain: follows from how many are tried and how seldom one may be false */
};

/* Points that gave nothing are left out; fewer than POINTS_AT_LEAST are not weighed. False when memory is short. */
bool curve_load(const struct knee_point *points, size_t count, double step, struct curve *c);
void curve_release(struct curve *c);

/*
 * Running medians over seven points, over fewer near the ends, where a slope would shift them. What the first and the
 * last point should be is told by the three beside it, or by them and the three beside those, whichever is nearer.
 */
void curve_medians(const struct series *s, double *out);

/*
 * Deviation of a typical point among first … end - 1: what neighbours say or what repetitions say, whichever is more.
 * `scratch` has room for as many points. 0 where there are none.
 */
double curve_deviation(const struct curve *c, size_t first, size_t end, double *scratch);

/* Deviation of such a point as neighbours alone say; NaN where they are too few. `scratch` has room for as many points. */
double curve_scatter(const struct curve *c, size_t first, size_t end, double *scratch);

/* Natural logarithm of a positive number, by chords within each octave: low by 0.06 at most, which no penalty minds. */
double ln_rough(double v);
/* Octaves between two positive x, by chords: off by 0.09 at most. */
double octaves(double from, double to);

#endif
