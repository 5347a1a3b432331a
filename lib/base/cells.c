#include "lib/base/cells.h"

#include <stddef.h>

void cells_clear(struct cells *c, unsigned row, unsigned column, enum cell_style style)
{
    for (; row < c->rows && column < c->columns; column++)
        c->at[(size_t)row * c->columns + column] = (struct cell){.character = ' ', .style = (uint8_t)style};
}

unsigned cells_put(struct cells *c, unsigned row, unsigned column, unsigned width, enum cell_style style,
                   const char *text)
{
    if (row >= c->rows || column >= c->columns)
        return column;
    struct cell *at = &c->at[(size_t)row * c->columns];
    const unsigned end = width < c->columns - column ? column + width : c->columns;

    for (; *text; text++) {
        if ((*text & 0xc0) == 0x80) /* a continuation byte of UTF-8: its character has been written */
            continue;
        if (column == end) {
            if (width > 0)
                at[end - 1].character = '~';
            break;
        }
        at[column++] = (struct cell){.character = (uint8_t)(*text >= ' ' && *text <= '~' ? *text : '?'),
                                     .style = (uint8_t)style};
    }
    return column;
}
