/*
 * Where does a curve leave its level? Simple rules, with the interval that each can justify.
 *
 * This is the place for the engine that decides and grades. Today it holds one rule for each of the
 * two shapes that the probes have, and what is found with it is grade C: one experiment, one view.
 */
#ifndef FATHOM_LIB_KNEE_H
#define FATHOM_LIB_KNEE_H

#include <stdbool.h>
#include <stddef.h>

/* ---- Staircases: every stair is long ---------------------------------------------------------- */

/*
 * Caches are like this, each next level being several times larger. An edge may be a step or a ramp:
 * where the frames of a physically indexed cache fall at random, some sets are overfull before others
 * are full, and the edge is a ramp that is half way up at the capacity; where they are contiguous, it
 * is a step just past it.
 */
struct level {
    size_t first, last; /* points of the flat stretch */
    double height;      /* median of y there */
};

/*
 * Finds the flat stretches, x ascending and positive: y stays within `tolerance` (relative) of its
 * median while x grows by the factor `span` at least. Neighbours whose heights differ by less than
 * twice the tolerance are one level; a stretch below the level before it belongs to none. y is
 * smoothed over three points first, so that single readings break no level. NaN is a missing point.
 * Returns how many there are, at most `room`.
 */
size_t knee_levels(const double *x, const double *y, size_t count, double tolerance, double span, struct level *out,
                   size_t room);

/* Where a curve rises through a height. On a quiet one `from` equals `to`. */
struct crossing {
    double from;  /* last x before y first exceeds the height, single outliers aside */
    double to;    /* last x at which y does not exceed it */
    double above; /* the point after that */
};

/* Among the points first … last; `from` and `to` are the first point's x where all are higher. */
struct crossing knee_crossing(const double *x, const double *y, size_t first, size_t last, double height);

/* ---- A line that is left ----------------------------------------------------------------------- */

/*
 * For curves that grow steadily and then faster: y follows one line, fitted by Theil and Sen's medians
 * to all points accepted so far, until three points running lie above it by more than `excess`. Returns
 * true and the last point on the line; false when the line is never left. The first four points are
 * taken to be on the line.
 */
bool knee_line_left(const double *x, const double *y, size_t count, double excess, size_t *last_good);

#endif
