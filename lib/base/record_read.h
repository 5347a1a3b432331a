/*
 * Reads back lines that lib/base/record.h has written: the journal reads those of earlier runs, `fathom diff` two
 * files. It is no parser of JSON in general: callers check the checksum of a line first (record_line_good). No function
 * reads beyond the end of a line, whatever it holds.
 */
#ifndef FATHOM_LIB_BASE_RECORD_READ_H
#define FATHOM_LIB_BASE_RECORD_READ_H

#include <stdbool.h>
#include <stddef.h>

/* True when the line of `bytes` bytes, without its newline, begins as an object and ends in its correct checksum. */
bool record_line_good(const char *line, size_t bytes);
/*
 * Finds the text, number, boolean or null of that key in a good line, outside of the objects and arrays in it, and
 * copies it as record_field_text does. False, with `out` unchanged, where the line has no such key or its value is an
 * object or array, or room is 0.
 */
bool record_line_value(const char *line, size_t bytes, const char *key, char *out, size_t room);

/* One field of a line. `value` points into the line, to the value as written: with quotes, escapes, brackets. */
struct record_field {
    char key[64]; /* "" where it is longer */
    const char *value;
    size_t bytes;
};

/*
 * Goes through the fields of a good line, or of an object that is a value of one (`line` and `bytes` are then that
 * value): *at is 0 for the first field, and each call advances it. False after the last field, and where the line is
 * malformed; *f must then not be used.
 */
bool record_line_field(const char *line, size_t bytes, size_t *at, struct record_field *f);
/*
 * Copies the field's value as text, with a final 0: a string without its quotes, with what its escapes stand for (of
 * \u0000 and surrogates U+FFFD); anything else as written. A string that is longer than room - 1 bytes is cut; anything
 * else that is longer becomes "". `room` is at least 1.
 */
void record_field_text(const struct record_field *f, char *out, size_t room);

#endif
