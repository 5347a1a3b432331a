/*
 * Curves as pieces of straight line, by least squares.
 *
 * A curve is cut in two where that lowers the weighted sum of squares most, then its halves are, and so on while a
 * cut gains more than a penalty (binary segmentation: Vostrikova 1981; Bai 1997 for cuts found one at a time), and
 * pieces that turn out to be one are joined again from the weakest cut on. Each cut is placed again between those beside
 * it (repartition: Bai 1997, section 4). Each piece is flat where a line gains
 * nothing. Weights are one over the variance of a point, so that sums of squares count in variances: the gain of a
 * cut that is not there is a chi-squared variable of two degrees at each place, and exceeds c with probability
 * exp(-c / 2).
 */
#ifndef FATHOM_LIB_ENGINE_SEGMENT_H
#define FATHOM_LIB_ENGINE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Weighted sums over points. */
struct sums {
    double w, x, y, xx, xy, yy;
};

/* Points with sums over those before each, so that any stretch of them is summed up at once. */
struct series {
    size_t count;
    double *x, *y;
    double *variance; /* of y; positive */
    struct sums *before;
    double x_origin, y_origin, x_unit; /* sums are taken of (x - x_origin) / x_unit and y - y_origin: less is rounded */
};

struct line {
    double at, slope; /* at the origin of x; per unit of x, as given */
    double cost;      /* sum of squares that remains, in variances */
};

struct piece {
    size_t first, end; /* points first … end - 1 */
    bool sloped;       /* a slope gains more than its penalty */
    struct line line;
};

/* Room for `count` points; false when memory is short. */
bool series_make(struct series *s, size_t count);
void series_free(struct series *s);
/* To be called whenever x, y or variance have changed. */
void series_sum(struct series *s);

/* The best line, or the best flat one, through points first … end - 1; at least one point. */
struct line series_line(const struct series *s, size_t first, size_t end, bool sloped);
double line_at(const struct line *l, double x);
/* Sum of squares of points first … end - 1 about a given line through (x, y), in variances. */
double series_cost(const struct series *s, size_t first, size_t end, double x, double y, double slope);
/* Slope of the best line through (x, y). NaN where all points are at x. */
double series_slope(const struct series *s, size_t first, size_t end, double x, double y);

/*
 * Cuts points first … end - 1 into at most `room` pieces. A cut has to gain `penalty`, a slope `slope_penalty`:
 * infinite where there are none. Pieces have `shortest` points at least. Time is room * count at most. Returns how
 * many there are; 0 when memory is short.
 */
size_t series_cut(const struct series *s, size_t first, size_t end, double penalty, double slope_penalty,
                  size_t shortest, struct piece *out, size_t room);

#endif
