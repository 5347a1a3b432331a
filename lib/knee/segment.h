/*
 * Curves as pieces of straight line, by least squares. docs/METHODS.md, 2.4.
 *
 * A curve is cut in two where that lowers the weighted sum of squares most, then each part is, as long as a cut gains
 * more than a penalty (binary segmentation: Vostrikova 1981; Bai 1997). Every cut is then placed again between its
 * neighbours (repartition: Bai 1997, section 4), since the first ones were placed while later ones were missing, and
 * pieces that are no better apart are joined, those with the weakest cut first. A piece is flat where a slope gains
 * nothing. Weights are one over the variance of a point, so that sums of squares count in variances: the gain of a cut
 * that is not there is a chi-squared variable of two degrees at each place, and exceeds c with probability exp(-c / 2).
 */
#ifndef FATHOM_LIB_KNEE_SEGMENT_H
#define FATHOM_LIB_KNEE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Weighted sums over points. */
struct sums {
    double w, x, y, xx, xy, yy;
};

/* Points, with the sums over all points before each, so that any range of points is summed up at once. */
struct series {
    size_t count;
    double *x, *y;
    double *variance; /* of y; positive */
    struct sums *before;
    double x_origin, y_origin, x_unit; /* sums are of (x - x_origin) / x_unit and y - y_origin, to round less */
};

struct line {
    double at, slope; /* y at x = 0; y per unit of x */
    double cost;      /* sum of squares of the points about the line, in variances */
};

struct piece {
    size_t first, end; /* points first … end - 1 */
    bool sloped;       /* a slope gains more than its penalty */
    struct line line;
};

/* Makes room for `count` points, which the caller fills in, and sets s->count. False when memory is short. */
bool series_make(struct series *s, size_t count);
void series_free(struct series *s);
/* Computes s->before; to be called whenever x, y, variance or count have changed, before any function below. */
void series_sum(struct series *s);

/* The line of least squares through points first … end - 1, at least one; flat unless `sloped`. */
struct line series_line(const struct series *s, size_t first, size_t end, bool sloped);
double line_at(const struct line *l, double x);
/*
 * Returns how badly the line through (x, y) with this slope fits points first … end - 1: the sum of their squared
 * distances in y, each divided by the variance of its point. 0 where there are no points.
 */
double series_cost(const struct series *s, size_t first, size_t end, double x, double y, double slope);
/* Slope of the best line through (x, y) for points first … end - 1. NaN where all of them are at x. */
double series_slope(const struct series *s, size_t first, size_t end, double x, double y);

/*
 * Cuts points first … end - 1 into at most `room` pieces of at least `shortest` points, stored in out. A cut must lower
 * the sum of squares, in variances, by more than `penalty`; a piece may slope if that lowers it by more than
 * `slope_penalty` (INFINITY: all pieces are flat). Time is at most room * (end - first). Returns the number of pieces;
 * 0 when memory is short.
 */
size_t series_cut(const struct series *s, size_t first, size_t end, double penalty, double slope_penalty,
                  size_t shortest, struct piece *out, size_t room);

#endif
