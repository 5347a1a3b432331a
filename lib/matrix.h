/*
 * Matrix: what was measured over two axes, as a record of its own.
 */
#ifndef FATHOM_LIB_MATRIX_H
#define FATHOM_LIB_MATRIX_H

#include "lib/sweep.h"

/* Its arrays are the caller's. */
struct matrix {
    const char *name, *row_axis, *column_axis; /* "pattern", "branches", "pattern_length" */
    const char *unit;                          /* of the cells: "cycles/branch" */
    size_t row_count, column_count;
    double *rows, *columns; /* what the axes are at */
    double *cells;          /* NaN where nothing was measured */
    size_t pitch;           /* from a cell to the one below it: so many columns there is room for */
};

double *matrix_cell(const struct matrix *m, size_t row, size_t column);
void matrix_send(struct probe *p, const struct matrix *m);

#endif
