/*
 * Where does a curve leave its level? A simple rule, with the interval that it can justify.
 *
 * This is the place for the engine that decides and grades; today it holds one rule, and its
 * findings are grade C: one experiment, one view.
 */
#ifndef FATHOM_LIB_KNEE_H
#define FATHOM_LIB_KNEE_H

#include <stdbool.h>
#include <stddef.h>

/* One place where the level changes for good. Indices into the curve. */
struct knee {
    size_t last_good;  /* last point on the lower level */
    size_t first_bad;  /* first point that has left it */
    double low_level;  /* median of the level that ends at last_good */
    double high_level; /* median of the level after it; of all points from first_bad on where none follows */
};

/*
 * Finds the rises of a curve, x ascending. y is first replaced by its suffix minimum, so that a
 * single high reading is not a rise: what counts is leaving a level and never coming back. A level
 * is two points or more that do not climb, so the points of a slope between two levels belong to
 * neither, and a slope as such has no knee. Two points at least must lie beyond a rise.
 * `threshold` is the relative rise that ends a level (0.12: 12 %); y is positive, and NaN where a
 * point is missing. Returns the number of knees, at most `room`; none when memory ran out.
 */
size_t knee_rises(const double *y, size_t count, double threshold, struct knee *out, size_t room);

#endif
