/*
 * A small plot of a curve, in whatever a screen has: dots, or characters.
 */
#ifndef FATHOM_LIB_PLOT_H
#define FATHOM_LIB_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/engine/search.h"

/* From one end to the other, both included. In octaves, one is as long as the next; inside of one it is linear. */
struct plot_axis {
    double from, to;
    bool octaves;
};

struct plot {
    struct plot_axis x, y;
    bool empty; /* there is no point to be drawn */
};

/* What is to be drawn in one column of dots: from one row to another, 0 at the bottom. `from` > `to`: nothing. */
struct plot_span {
    unsigned from, to;
};

/* Axes that hold all points: in octaves where the largest is 16 times the least or more, else y begins at 0. */
struct plot plot_axes(const struct search_point *points, size_t count);
/* The column or row of `dots` in which a value lies; values outside lie in the nearest. */
unsigned plot_place(const struct plot_axis *axis, double value, unsigned dots);
/* The curve as a line from point to point; points that are NaN are passed over. */
void plot_columns(const struct plot *p, const struct search_point *points, size_t count, unsigned columns,
                  unsigned rows, struct plot_span *spans);

#endif
