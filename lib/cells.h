/*
 * Text in rows and columns, with a style for each character: what a screen shows, whatever it is made of.
 */
#ifndef FATHOM_LIB_CELLS_H
#define FATHOM_LIB_CELLS_H

#include <stdint.h>

enum cell_style { CELL_TEXT, CELL_STRONG, CELL_DIM, CELL_BAR, CELL_GOOD, CELL_BAD, CELL_STYLES };

struct cell {
    uint8_t character; /* ASCII; 0 is a blank */
    uint8_t style;     /* enum cell_style */
};

struct cells {
    unsigned columns, rows;
    struct cell *at; /* row by row */
};

/* Blanks of a style, from a column to the end of the row. */
void cells_clear(struct cells *c, unsigned row, unsigned column, enum cell_style style);
/*
 * Writes text, at most `width` columns of it, and no farther than the row's end. What is cut ends in ~. Bytes that are
 * not printable ASCII become question marks, once for each character. Returns the column behind it.
 */
unsigned cells_put(struct cells *c, unsigned row, unsigned column, unsigned width, enum cell_style style,
                   const char *text);

#endif
