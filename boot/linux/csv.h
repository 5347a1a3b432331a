/*
 * Tables as text: rows of fields out of bytes that arrive in pieces of any size.
 *
 * Fields are separated by tabs, semicolons, commas or blanks; the first line that holds anything decides which,
 * in this order. Blanks around a field do not belong to it. A field in double quotes may hold separators, and two
 * quotes for one; it may not hold an end of line. A # at the start of a line or after a blank begins a comment.
 * Ends of lines are LF or CRLF. A line may begin with a UTF-8 byte order mark, the first as well as others, since files
 * may have been joined. Empty lines and comments are no rows.
 *
 * What cannot be read ends the reading with a sentence that says where it is and what to do about it.
 */
#ifndef FATHOM_BOOT_LINUX_CSV_H
#define FATHOM_BOOT_LINUX_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a line, and columns, at most: with more, reading ends. */
enum { CSV_LINE_BYTES = 65536, CSV_COLUMNS = 1024 };

/* A table while it is read. It is too big for a stack. */
struct csv {
    /* False ends the reading; the row's handler has then written `error`. Fields are valid until it returns. */
    bool (*row)(void *context, struct csv *c);
    void *context;

    char *field[CSV_COLUMNS]; /* this row's, each ended by 0 */
    size_t count;             /* of fields in this row, at least 1 */
    size_t columns;           /* fields of the first row; later rows have no more, empty ones at their end aside */
    uint64_t line;            /* counted from 1 */
    char separator;           /* '\t', ';', ',' or ' ' for blanks; 0 before the first row */
    char error[256];          /* why reading ended; "" while all is well */

    char text[CSV_LINE_BYTES + 1]; /* the line that has not ended yet */
    size_t used;
};

/* Begins a table. `row` is called for each row, with `context`; c->field and c->count are then that row's. */
void csv_start(struct csv *c, bool (*row)(void *context, struct csv *c), void *context);
/*
 * Takes the next `count` bytes of the file, and calls `row` for each row that ends in them. False once something was
 * wrong: c->error says what, and nothing more is read.
 */
bool csv_feed(struct csv *c, const char *bytes, size_t count);
/*
 * To be called when the file has ended: its last line need not have an end. False once something was wrong; c->error
 * says what.
 */
bool csv_end(struct csv *c);

enum csv_value {
    CSV_NUMBER,  /* finite */
    CSV_MISSING, /* empty, or a usual word for "nothing was measured": nan, inf, na, n/a, null, none, - in any case */
    CSV_TEXT,
};

/*
 * What a field is. Sets *number to its number where it is one, else to NaN. A number has a decimal point, never a
 * comma.
 */
enum csv_value csv_value(const char *field, double *number);

#endif
