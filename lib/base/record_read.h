/*
 * Reading lines back that lib/base/record.h has written: the journal reads earlier runs, `fathom diff` two files. It
 * is no parser of JSON in general: only lines whose checksum is right are read. A line may hold anything, and is
 * never read beyond its end.
 */
#ifndef FATHOM_LIB_BASE_RECORD_READ_H
#define FATHOM_LIB_BASE_RECORD_READ_H

#include <stdbool.h>
#include <stddef.h>

/* True when the line, without its newline, ends in a correct checksum. */
bool record_line_good(const char *line, size_t bytes);
/*
 * Finds a text or number of a good line, not inside its objects and arrays. Copies at most room - 1 bytes of its
 * text, as written but with JSON escapes resolved, and a final 0. False where the line has no such key with such a
 * value, or room is 0.
 */
bool record_line_value(const char *line, size_t bytes, const char *key, char *out, size_t room);

/* One field of a line. `value` points into the line, to the value as written: with quotes, escapes, brackets. */
struct record_field {
    char key[64]; /* "" where it is longer */
    const char *value;
    size_t bytes;
};

/*
 * Goes through the fields of a good line, or of an object that is a value of one: *at is 0 for the first field and is
 * advanced. False at the end.
 */
bool record_line_field(const char *line, size_t bytes, size_t *at, struct record_field *f);
/*
 * Copies the value as text: a string without quotes and escapes, anything else as written. At most room - 1 bytes and a
 * final 0; `room` is at least 1.
 */
void record_field_text(const struct record_field *f, char *out, size_t room);

#endif
