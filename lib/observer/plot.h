/*
 * A small plot of a curve, drawn in dots or characters, whichever the screen has.
 */
#ifndef FATHOM_LIB_OBSERVER_PLOT_H
#define FATHOM_LIB_OBSERVER_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/knee/search.h"

/* An axis, both ends included: linear, or with octaves of equal length that are linear inside. */
struct plot_axis {
    double from, to;
    bool octaves;
};

struct plot {
    struct plot_axis x, y;
    bool empty; /* there is no point to be drawn */
};

/* What is drawn in one column of dots: rows `from` to `to`, 0 at the bottom. `from` > `to`: nothing. */
struct plot_span {
    unsigned from, to;
};

/*
 * Axes that contain all points: in octaves where the largest value is 16 times the smallest or more, else y begins at
 * 0.
 */
struct plot plot_axes(const struct search_point *points, size_t count);
/* The column or row of `dots` in which a value lies; values outside lie in the nearest. */
unsigned plot_place(const struct plot_axis *axis, double value, unsigned dots);
/*
 * The curve as a line from point to point: the rows that it covers in each column. A point that is not finite is left
 * out, and the line goes straight from the point before it to the one behind.
 */
void plot_columns(const struct plot *p, const struct search_point *points, size_t count, unsigned columns,
                  unsigned rows, struct plot_span *spans);

#endif
