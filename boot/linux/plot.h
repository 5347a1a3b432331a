/* A curve as text, for a terminal of 80 columns. */
#ifndef FATHOM_BOOT_LINUX_PLOT_H
#define FATHOM_BOOT_LINUX_PLOT_H

#include <stdio.h>

#include "lib/engine/knee.h"

/*
 * Points stand side by side in the order of x, each as far from the next as any other: a grid that is dense where
 * it matters shows as it was meant, logarithmic or not. y is logarithmic where it spans a factor of ten. Columns
 * with a mark below them hold a knee. Prints nothing where there are no two points with a y.
 */
void plot_print(FILE *out, const struct knee_point *points, size_t count, const double *marks, size_t mark_count);

#endif
