/*
 * Writing records: one line of JSON each, to every sink; a brief sink (lib/machine.h) gets no curves, matrices and
 * tables. lib/base/record_read.h reads them back.
 *
 * The first key is `t`, the kind of record, the last is `c`, the checksum (lib/base/checksum.h). A whole number up to
 * 2^53 is written without an exponent, any other number with the fewest of 15, 16 or 17 digits that read back to the
 * same double; NaN and infinities become null. Each malformed part of a text, in UTF-8, becomes U+FFFD.
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

/* RECORD_SCHEMA: version of the records' format, in each `run` record. WRITER_SINKS: sinks that a writer can have. */
enum { RECORD_SCHEMA = 1, WRITER_SINKS = 4 };

/*
 * Where records go: the sinks, and the lines that have not reached all of them yet. The first sink is the most durable.
 */
struct writer {
    struct sink sinks[WRITER_SINKS];
    size_t sink_count;
    uint64_t lines;
    uint64_t lost;     /* lines that sinks did not take or flush, and records that broke, added up over the sinks */
    double last_flush; /* machine_seconds */
    bool flush_due;    /* unflushed bytes are waiting */
    uint64_t unflushed[WRITER_SINKS];  /* lines each sink took since its last flush; 0 where nothing is buffered */
    bool warned[WRITER_SINKS];         /* a warning about this sink's failure has been sent */
    char *waiting;                     /* lines the first sink took and the others get after its flush */
    size_t waiting_used, waiting_room; /* bytes of these, and bytes that there is memory for */
};

/* A record under construction, from record_start to record_send. */
struct record {
    struct writer *writer;
    char *text; /* grows; never NULL after record_start unless memory ran out */
    size_t used, room;
    char kind[16];
    unsigned depth;  /* open objects and arrays, the line's own object not counted */
    uint32_t arrays; /* bit n: what is open at depth n is an array */
    bool comma;      /* a value has been written at this depth */
    bool broken;     /* memory is short, or keys or groups do not match: record_send sends a warning instead */
};

/* Initialises a writer: it has no sinks, and nothing was lost. */
void writer_start(struct writer *w);
/*
 * Adds a sink; the first one added is the one that later sinks wait for (record_send). False when there is no room for
 * another.
 */
bool writer_add(struct writer *w, struct sink s);
/*
 * Where lines wait to be flushed, and 250 ms have passed since the last flush or `force` is set: flushes the first
 * sink, then gives the others the lines that waited for that, and flushes them too.
 */
void writer_flush(struct writer *w, bool force);
/*
 * Flushes all sinks and frees the writer's memory. What the sinks' contexts point to is the caller's, to be closed
 * afterwards.
 */
void writer_stop(struct writer *w);

/*
 * Begins a record in *r, which will go to the sinks of `w`. `kind` is the value of its first key, `t`: at most 15
 * characters. record_send ends it and frees what it has allocated.
 */
void record_start(struct record *r, struct writer *w, const char *kind);
/*
 * Adds a text: to the open object under `key`, or to the open array with a NULL key. A NULL `value` becomes null. The
 * text is copied. Whatever function adds a value, one in an array that has a key, or one in an object that has none,
 * makes record_send send a warning instead of the record, and so does a shortage of memory.
 */
void record_text(struct record *r, const char *key, const char *value);
/* Adds a number, or null where it is not finite; `key` as for record_text. */
void record_number(struct record *r, const char *key, double value);
/* Adds an integer, written with all its digits; `key` as for record_text. */
void record_integer(struct record *r, const char *key, uint64_t value);
/* Adds an integer as a text in hexadecimal, "0x1f"; `key` as for record_text. */
void record_hex(struct record *r, const char *key, uint64_t value);
/* Adds true or false; `key` as for record_text. */
void record_boolean(struct record *r, const char *key, bool value);
/* Adds null; `key` as for record_text. */
void record_null(struct record *r, const char *key);
/*
 * Opens an array as a value: what is added from now on, with NULL keys, goes into it, until record_close. `key` as for
 * record_text. Where 31 arrays and objects are open already, record_send sends a warning instead of the record.
 */
void record_array(struct record *r, const char *key);
/*
 * Opens an object as a value: what is added from now on, with keys, goes into it, until record_close. `key` and the
 * most that can be open as for record_array.
 */
void record_object(struct record *r, const char *key);
/*
 * Closes the array or object that was opened last and is still open. Where none is, record_send sends a warning instead
 * of the record.
 */
void record_close(struct record *r);
/*
 * Ends the record, writes it as one line to the sinks, and frees its memory. A line of kind `curve`, `matrix` or
 * `table` does not go to brief sinks, and may wait to be flushed: it is flushed with the next line of another kind, or
 * with the next line or writer_flush at least 250 ms after the last flush; no timer flushes. Any other line is flushed
 * at once. The first sink is the most durable: the others get a line only after the first has flushed it, or has
 * failed. A sink that fails gets no more lines, and the others get a warning about it. Where an array or object is
 * still open, or memory is short, a warning is sent instead of the record.
 */
void record_send(struct record *r);
/* Adds the core in use (machine_info) to a record: `core`, its index, and `type` where the core has one. */
void record_core(struct record *r);
/* Sends a whole `warning` record: `subject` is what it is about, in a word, `text` what happened, in a sentence. */
void record_warning(struct writer *w, const char *subject, const char *text);

#endif
