/*
 * Writing records: one line of JSON each, to every sink. lib/base/record_read.h reads them back.
 *
 * The first key is `t`, the kind of record, the last is `c`, the checksum (lib/base/checksum.h). A number is written
 * with the fewest of 15, 16 or 17 digits that read back to the same double; NaN and infinities become null. Each
 * malformed part of a text, in UTF-8, becomes U+FFFD.
 *
 *     record_start(&r, "finding");
 *     record_text(&r, "name", "memory.cache.bytes");
 *     record_number(&r, "value", 32768);
 *     record_send(&r);
 */
#ifndef FATHOM_LIB_BASE_RECORD_H
#define FATHOM_LIB_BASE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/machine.h"

enum { RECORD_SCHEMA = 1, WRITER_SINKS = 4 };

struct writer {
    struct sink sinks[WRITER_SINKS];
    size_t sink_count;
    uint64_t lines;
    uint64_t lost;                     /* lines that sinks did not take or did not flush, added up over the sinks */
    double last_flush;                 /* machine_seconds */
    bool flush_due;                    /* unflushed bytes are waiting */
    uint64_t unflushed[WRITER_SINKS];  /* lines each sink took since its last flush; 0 where nothing is buffered */
    bool warned[WRITER_SINKS];         /* a warning about this sink's failure has been sent */
    char *waiting;                     /* lines the first sink took and the others get after its flush */
    size_t waiting_used, waiting_room; /* bytes of these, and bytes that there is memory for */
};

struct record {
    struct writer *writer;
    char *text; /* grows; never NULL after record_start unless memory ran out */
    size_t used, room;
    char kind[16];
    unsigned depth;  /* open objects and arrays, the line's own object not counted */
    uint32_t arrays; /* bit n: what is open at depth n is an array */
    bool comma;      /* a value has been written at this depth */
    bool broken;     /* memory is short, or groups are not closed: record_send sends a warning instead */
};

/* Initialises a writer: it has no sinks, and nothing was lost. */
void writer_start(struct writer *w);
/* False when there is no room for another sink. */
bool writer_add(struct writer *w, struct sink s);
/* Flushes the waiting lines when 250 ms have passed since the last flush, or at once when forced. */
void writer_flush(struct writer *w, bool force);
/* Flushes and gives back the writer's memory; the sinks stay the caller's. */
void writer_stop(struct writer *w);

/* Begins a record: the kind is the value of `t`. */
void record_start(struct record *r, struct writer *w, const char *kind);
/*
 * These add a value: with a key to the open object, with a NULL key to the open array. record_array and record_object
 * open one, record_close closes the innermost one. A NULL text becomes null. Where a value in an array has a key or one
 * in an object has none, and where memory is short, record_send sends a warning instead of the record.
 */
void record_text(struct record *r, const char *key, const char *value);
void record_number(struct record *r, const char *key, double value);
void record_integer(struct record *r, const char *key, uint64_t value);
void record_hex(struct record *r, const char *key, uint64_t value); /* as text: "0x1f" */
void record_boolean(struct record *r, const char *key, bool value);
void record_null(struct record *r, const char *key);
void record_array(struct record *r, const char *key);
void record_object(struct record *r, const char *key);
void record_close(struct record *r);
/*
 * Ends the line and writes it to every sink. A line of kind `curve`, `matrix` or `table` may wait to be flushed; the
 * next line that is sent 250 ms or more after the last flush, or that is of another kind, flushes all that wait. No
 * timer flushes. The first sink is the volume: later sinks get a line only after the first one has flushed it.
 * A sink that fails gets no more lines, and the others get a warning about it.
 */
void record_send(struct record *r);
/* Adds the core in use (machine_info): `core`, its index, and `type` where the core has one. */
void record_core(struct record *r);
/* A whole warning in one call: `subject` is what it is about, `text` what happened. */
void record_warning(struct writer *w, const char *subject, const char *text);

#endif
