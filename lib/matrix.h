/*
 * Matrix: what was measured over two axes, as a record of its own.
 */
#ifndef FATHOM_LIB_MATRIX_H
#define FATHOM_LIB_MATRIX_H

#include "lib/sweep.h"

enum { MATRIX_SIDE = 16 };

struct matrix {
    const char *name, *row_axis, *column_axis; /* "pattern", "branches", "pattern_length" */
    const char *unit;                          /* of the cells: "cycles/branch" */
    size_t row_count, column_count;
    double rows[MATRIX_SIDE], columns[MATRIX_SIDE]; /* what the axes are at */
    double cells[MATRIX_SIDE][MATRIX_SIDE];         /* by row and column; NaN where nothing was measured */
};

void matrix_send(struct probe *p, const struct matrix *m);

#endif
