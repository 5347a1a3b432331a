/*
 * A small plot of a curve, drawn in dots or characters, whichever the screen has.
 */
#ifndef FATHOM_LIB_OBSERVER_PLOT_H
#define FATHOM_LIB_OBSERVER_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/knee/search.h"

/*
 * The range of an axis, both ends included. It is linear; or, with `octaves`, each doubling takes the same length and
 * is linear inside.
 */
struct plot_axis {
    double from, to;
    bool octaves;
};

/* The axes of a plot. */
struct plot {
    struct plot_axis x, y;
    bool empty; /* there is no point to be drawn */
};

/* What is drawn in one column of dots: the rows from `from` to `to`, 0 at the bottom. `from` > `to`: nothing. */
struct plot_span {
    unsigned from, to;
};

/*
 * Axes that contain all points whose x and y are finite. An axis is in octaves where its largest value is 16 times its
 * smallest or more, and that is above 0. A linear y axis begins at 0 where all y are positive.
 */
struct plot plot_axes(const struct search_point *points, size_t count);
/*
 * Number of the column or row, from 0 to `dots` - 1, in which a value lies; values outside of the axis lie in the
 * nearest.
 */
unsigned plot_place(const struct plot_axis *axis, double value, unsigned dots);
/*
 * Draws the curve as a line from point to point: sets spans[0] to spans[columns - 1] to the rows that it covers, of
 * `rows` rows. The points are in ascending order of x. A point that is not finite is left out, and the line goes
 * straight from the point before it to the one after it.
 */
void plot_columns(const struct plot *p, const struct search_point *points, size_t count, unsigned columns,
                  unsigned rows, struct plot_span *spans);

#endif
