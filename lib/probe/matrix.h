/*
 * A matrix: what was measured over two axes, sent as a record of its own.
 */
#ifndef FATHOM_LIB_PROBE_MATRIX_H
#define FATHOM_LIB_PROBE_MATRIX_H

#include "lib/probe/probe.h"

/* A matrix; its arrays and texts belong to the caller. */
struct matrix {
    const char *name, *row_axis, *column_axis; /* "pattern", "branches", "pattern_length" */
    const char *unit;                          /* of the cells: "cycles/branch" */
    size_t row_count, column_count;
    double *rows, *columns; /* values of the axes */
    double *cells;          /* row by row; NaN where nothing was measured */
    size_t pitch;           /* cells from one row to the next */
};

/* The cell of that row and column, both from 0. */
double *matrix_cell(const struct matrix *m, size_t row, size_t column);
/* Sends the record `matrix`. */
void matrix_send(struct probe *p, const struct matrix *m);

#endif
