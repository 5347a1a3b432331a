/* A curve as text, for a terminal of 80 columns. */
#ifndef FATHOM_BOOT_LINUX_PLOT_H
#define FATHOM_BOOT_LINUX_PLOT_H

#include <stdio.h>

#include "lib/knee/knee.h"

/*
 * Prints points side by side in the order of x at equal distances, whatever their x: a sweep takes more points where
 * the curve changes, and those parts are shown wide. y is logarithmic where it spans a factor of more than ten.
 * Columns that hold a mark, the x of a knee, get a ^ below. Prints nothing when fewer than two points have a y.
 */
void plot_print(FILE *out, const struct knee_point *points, size_t count, const double *marks, size_t mark_count);

#endif
