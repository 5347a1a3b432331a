/*
 * Text in rows and columns, with a style for each character: the contents of a screen, independent of how the screen is
 * driven.
 */
#ifndef FATHOM_LIB_BASE_CELLS_H
#define FATHOM_LIB_BASE_CELLS_H

#include <stdint.h>

enum cell_style { CELL_TEXT, CELL_STRONG, CELL_DIM, CELL_BAR, CELL_GOOD, CELL_BAD, CELL_STYLES };

struct cell {
    uint8_t character; /* ASCII; 0 is a blank */
    uint8_t style;     /* enum cell_style */
};

struct cells {
    unsigned columns, rows;
    struct cell *at; /* rows * columns of them, row by row; the caller's */
};

/* Fills a row from `column` to its end with blanks of a style. Does nothing where there is no such row or column. */
void cells_clear(struct cells *c, unsigned row, unsigned column, enum cell_style style);
/*
 * Writes UTF-8 text into a row from `column` on, at most `width` columns of it and not beyond the row's end. Text that
 * is cut off ends in ~. A character that is not printable ASCII becomes one question mark. Returns the column after the
 * text; `column` where there is no such place.
 */
unsigned cells_put(struct cells *c, unsigned row, unsigned column, unsigned width, enum cell_style style,
                   const char *text);

#endif
