/*
 * Records: one line of JSON each, written to every sink.
 *
 * The first key is `t`, the last is `c`: the CRC-32 (IEEE 802.3, reflected, eight hex digits) of the
 * line's bytes before `,"c"`. Numbers are written so that they read back to the same double, in the
 * fewest of up to 15, 16 or 17 digits that do it; NaN and infinities become null. Text that is not
 * UTF-8 gets U+FFFD where it is not.
 *
 *     record_start(&r, "finding");
 *     record_text(&r, "name", "memory.cache.bytes");
 *     record_number(&r, "value", 32768);
 *     record_send(&r);
 */
#ifndef FATHOM_LIB_RECORD_H
#define FATHOM_LIB_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/machine.h"

enum { RECORD_SCHEMA = 1, WRITER_SINKS = 4 };

struct writer {
    struct sink sinks[WRITER_SINKS];
    size_t sink_count;
    uint64_t lines;
    uint64_t lost;                    /* lines that sinks did not take or did not flush, added up over the sinks */
    double last_flush;                /* machine_seconds */
    bool flush_due;                   /* unflushed bytes are waiting */
    uint64_t unflushed[WRITER_SINKS]; /* lines each sink took since its last flush; 0 where nothing is buffered */
    bool told[WRITER_SINKS];          /* a warning about this sink's failure has been sent */
    char *held;                       /* lines the first sink took and the others get after its flush */
    size_t held_used, held_room;
};

struct record {
    struct writer *writer;
    char *text; /* grows; never NULL after record_start unless memory ran out */
    size_t used, room;
    char kind[16];
    unsigned depth;  /* open objects and arrays, the line's own object not counted */
    uint32_t arrays; /* bit n: what is open at depth n is an array */
    bool comma;      /* a value has been written at this depth */
    bool broken;     /* out of memory or unbalanced; record_send then sends a warning instead */
};

void writer_start(struct writer *w);
/* False when there is no room for another sink. */
bool writer_add(struct writer *w, struct sink s);
/* Flushes what waits when 250 ms have passed since the last flush, or at once when forced. */
void writer_flush(struct writer *w, bool force);
/* Flushes and gives back the writer's memory; the sinks stay the caller's. */
void writer_stop(struct writer *w);

void record_start(struct record *r, struct writer *w, const char *kind);
/* With a NULL key the value is an element of the array that is open. */
void record_text(struct record *r, const char *key, const char *value);
void record_number(struct record *r, const char *key, double value);
void record_integer(struct record *r, const char *key, uint64_t value);
void record_hex(struct record *r, const char *key, uint64_t value); /* as text, "0x1f" */
void record_boolean(struct record *r, const char *key, bool value);
void record_null(struct record *r, const char *key);
void record_array(struct record *r, const char *key);
void record_object(struct record *r, const char *key);
void record_close(struct record *r);
/*
 * Ends the line and hands it to every sink. `curve`, `matrix` and `table` are flushed at least every
 * 250 ms, everything else at once. The volume is first: a line is announced on later sinks only
 * after the flush of the first. A sink that fails is left out from then on, and the others get a
 * warning that says so.
 */
void record_send(struct record *r);
/* A warning in one call, with the keys `subject` and `text`: to what, and what happened. */
void record_warning(struct writer *w, const char *subject, const char *text);

uint32_t crc32_of(const char *bytes, size_t count);

/* ---- Reading our own lines back --------------------------------------------------------------- */

/* True when the line, without its newline, ends in a correct checksum. */
bool record_line_good(const char *line, size_t bytes);
/*
 * Finds a top-level text or number of a good line. Copies at most room - 1 characters of its text as
 * written, with JSON escapes resolved, and ends it with 0. False when the key is not there.
 */
bool record_line_value(const char *line, size_t bytes, const char *key, char *out, size_t room);

/* One field of a line. `value` points into the line, at what is written there: quotes, escapes, brackets and all. */
struct record_field {
    char key[64]; /* "" where it is longer than that */
    const char *value;
    size_t bytes;
};

/*
 * Walks the fields of a good line, or of an object that is the value of one: *at is 0 for the first, and moves on.
 * False at the end.
 */
bool record_line_field(const char *line, size_t bytes, size_t *at, struct record_field *f);
/* The value as text: strings without quotes and escapes, anything else as written; at most room - 1 bytes, ended. */
void record_field_text(const struct record_field *f, char *out, size_t room);

#endif
