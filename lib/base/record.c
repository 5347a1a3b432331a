#include "lib/base/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/checksum.h"

/* ---- Writer ---------------------------------------------------------------------------------- */

void writer_start(struct writer *w)
{
    memset(w, 0, sizeof *w);
}

bool writer_add(struct writer *w, struct sink s)
{
    if (w->sink_count == WRITER_SINKS)
        return false;
    w->sinks[w->sink_count++] = s;
    return true;
}

/* Gives a sink up. Lines that it took and did not flush count as lost. */
static void fail_sink(struct writer *w, size_t i)
{
    w->sinks[i].failed = true;
    w->lost += w->unflushed[i];
    w->unflushed[i] = 0;
}

/* Kinds of records that hold measurements: most of the bytes. Their lines may wait for a flush. */
static bool is_bulk(const char *kind, size_t bytes)
{
    static const char *const kinds[] = {"curve", "matrix", "table"};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (bytes >= strlen(kinds[i]) && memcmp(kind, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

static void write_sink(struct writer *w, size_t i, const char *line, size_t bytes)
{
    static const size_t kind_at = sizeof "{\"t\":\"" - 1;
    struct sink *s = &w->sinks[i];

    if (s->brief && bytes > kind_at && is_bulk(line + kind_at, bytes - kind_at))
        return;
    if (!s->failed && s->write(s->context, line, bytes)) {
        w->unflushed[i] += s->flush != NULL;
    } else {
        w->lost++;
        fail_sink(w, i);
    }
}

static void flush_sink(struct writer *w, size_t i)
{
    struct sink *s = &w->sinks[i];

    if (!s->failed && s->flush && !s->flush(s->context))
        fail_sink(w, i);
    w->unflushed[i] = 0;
}

static void write_later_sinks(struct writer *w, const char *line, size_t bytes)
{
    for (size_t i = 1; i < w->sink_count; i++)
        write_sink(w, i, line, bytes);
}

/* Sends a warning about each failed sink, once. A sink that fails to take the warning gets a warning of its own. */
static void warn_of_failures(struct writer *w)
{
    for (size_t i = 0; i < w->sink_count; i++) {
        if (w->sinks[i].failed && !w->warned[i]) {
            w->warned[i] = true;
            record_warning(w, w->sinks[i].name, "failed; it holds no records from about here on");
        }
    }
}

/*
 * Flushes the first sink, then writes to the others the lines that waited for that flush, and the line that could not
 * wait, if any.
 */
static void flush_all(struct writer *w, const char *line, size_t bytes)
{
    /* The lines that wait are taken first: a warning below is a line, too, and must not write them a second time. */
    size_t waiting = w->waiting_used;

    w->waiting_used = 0;
    w->flush_due = false;
    if (w->sink_count > 0)
        flush_sink(w, 0);
    /* The warning comes before the lines that the first sink may have lost: nobody takes them for flushed. */
    warn_of_failures(w);

    for (size_t at = 0; at < waiting;) {
        const char *newline = memchr(w->waiting + at, '\n', waiting - at);
        size_t length = (size_t)(newline - (w->waiting + at)) + 1;

        write_later_sinks(w, w->waiting + at, length);
        at += length;
    }
    if (bytes > 0)
        write_later_sinks(w, line, bytes);
    for (size_t i = 1; i < w->sink_count; i++)
        flush_sink(w, i);
    warn_of_failures(w);
    w->last_flush = machine_seconds();
}

/* Keeps a line for the later sinks. False when memory is short: then it cannot wait. */
static bool keep_waiting(struct writer *w, const char *line, size_t bytes)
{
    if (w->sink_count < 2)
        return true;
    if (w->waiting_room - w->waiting_used < bytes) {
        size_t room = 2 * w->waiting_room + bytes;
        char *waiting = realloc(w->waiting, room);

        if (!waiting)
            return false;
        w->waiting = waiting;
        w->waiting_room = room;
    }
    memcpy(w->waiting + w->waiting_used, line, bytes);
    w->waiting_used += bytes;
    return true;
}

static void write_line(struct writer *w, const char *line, size_t bytes, bool may_wait)
{
    w->lines++;
    if (w->sink_count > 0)
        write_sink(w, 0, line, bytes);
    w->flush_due = true;
    if (may_wait && !w->sinks[0].failed && keep_waiting(w, line, bytes))
        writer_flush(w, false);
    else
        flush_all(w, line, bytes);
}

void writer_flush(struct writer *w, bool force)
{
    double waited = machine_seconds() - w->last_flush;
    bool recent = waited >= 0 && waited < 0.25; /* false too when the clock stepped back or has no value */

    if (w->flush_due && (force || !recent))
        flush_all(w, NULL, 0);
}

void writer_stop(struct writer *w)
{
    writer_flush(w, true);
    free(w->waiting);
    w->waiting = NULL;
    w->waiting_used = w->waiting_room = 0;
}

/* ---- Building a line ------------------------------------------------------------------------- */

static void append(struct record *r, const char *bytes, size_t count)
{
    if (!r->text)
        return;
    if (r->room - r->used < count) {
        size_t room = 2 * r->room + count;
        char *text = realloc(r->text, room);

        if (!text) {
            free(r->text);
            r->text = NULL;
            r->broken = true;
            return;
        }
        r->text = text;
        r->room = room;
    }
    memcpy(r->text + r->used, bytes, count);
    r->used += count;
}

static void append_text(struct record *r, const char *text)
{
    append(r, text, strlen(text));
}

/*
 * Length of the well-formed UTF-8 sequence at s, which ends with a 0 (Unicode 15, table 3-7), with
 * *well true; or of the part of one that U+FFFD is to replace (section 3.9, "U+FFFD substitution of
 * maximal subparts"), with *well false.
 */
static size_t utf8_length(const unsigned char *s, bool *well)
{
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    unsigned char low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;

    *well = s[0] < 0x80 || (s[0] >= 0xc2 && s[0] <= 0xf4);
    if (!*well)
        return 1;
    for (size_t i = 1; i < length; i++, low = 0x80, high = 0xbf) {
        if (s[i] < low || s[i] > high) {
            *well = false;
            return i;
        }
    }
    return length;
}

/*
 * A JSON string (RFC 8259, section 7). Control characters, those of ISO 6429's C1 set and DEL
 * included, are escaped, so that a line is safe to show on any terminal.
 */
static void append_string(struct record *r, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    append_text(r, "\"");
    while (*s) {
        size_t plain = 0;
        bool well;

        while (s[plain] >= ' ' && s[plain] < 0x7f && s[plain] != '"' && s[plain] != '\\')
            plain++;
        append(r, (const char *)s, plain);
        s += plain;
        if (!*s)
            break;
        size_t length = utf8_length(s, &well);
        unsigned code = length == 1 ? s[0] : length == 2 ? (s[0] & 0x1fU) << 6 | (s[1] & 0x3fU) : 0x10000;

        if (!well) {
            append_text(r, "\xef\xbf\xbd"); /* U+FFFD */
        } else if (code == '"' || code == '\\') {
            append_text(r, "\\");
            append(r, (const char *)s, 1);
        } else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
            char escape[12];

            snprintf(escape, sizeof escape, "\\u%04x", code);
            append_text(r, escape);
        } else {
            append(r, (const char *)s, length);
        }
        s += length;
    }
    append_text(r, "\"");
}

/* Writes what comes before any value: comma and key. A key inside an array, or none outside, breaks the record. */
static void begin_value(struct record *r, const char *key)
{
    bool in_array = (r->arrays >> r->depth & 1) != 0;

    if (in_array == (key != NULL))
        r->broken = true;
    if (r->comma)
        append_text(r, ",");
    r->comma = true;
    if (key) {
        append_string(r, key);
        append_text(r, ":");
    }
}

/*
 * Appends a number of four decimals at most, and 15 digits (numbers.h), without snprintf, which takes thousands of
 * instructions: most numbers of a record are such. A quotient is rounded correctly, so that digits / DECIMALS is the
 * double next to these digits. False: the number has more.
 */
static bool append_decimal(struct record *r, double value)
{
    enum { DECIMALS = 10000, BASE = 10 };
    const double magnitude = fabs(value);
    char text[24], *digit = text + sizeof text;
    unsigned places = 4;

    if (!(magnitude < 1e15 / DECIMALS))
        return false;
    uint64_t digits = (uint64_t)(magnitude * DECIMALS + 0.5);
    if ((double)digits / DECIMALS != magnitude)
        return false;
    while (places > 0 && digits % BASE == 0) {
        digits /= BASE;
        places--;
    }
    for (unsigned n = 0; n <= places || digits; n++) {
        if (n == places && places > 0)
            *--digit = '.';
        *--digit = (char)('0' + digits % BASE);
        digits /= BASE;
    }
    if (signbit(value))
        *--digit = '-';
    append(r, digit, (size_t)(text + sizeof text - digit));
    return true;
}

static void append_number(struct record *r, double value)
{
    char text[32];

    if (!isfinite(value)) {
        append_text(r, "null");
        return;
    }
    if (append_decimal(r, value))
        return;
    /* Whole numbers without an exponent, as far as doubles hold every one of them: 2^53. */
    if (fabs(value) <= 9007199254740992.0 && value == floor(value)) {
        snprintf(text, sizeof text, "%.0f", value);
    } else {
        /* 15 digits always survive a double, 17 always distinguish two doubles (IEEE 754-2019, 5.12.2). */
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, value);
            if (strtod(text, NULL) == value)
                break;
        }
    }
    append_text(r, text);
}

void record_start(struct record *r, struct writer *w, const char *kind)
{
    *r = (struct record){.writer = w, .room = 256};
    r->text = malloc(r->room);
    r->broken = !r->text;
    snprintf(r->kind, sizeof r->kind, "%s", kind);
    append_text(r, "{");
    record_text(r, "t", kind);
}

void record_text(struct record *r, const char *key, const char *value)
{
    begin_value(r, key);
    if (value)
        append_string(r, value);
    else
        append_text(r, "null");
}

void record_number(struct record *r, const char *key, double value)
{
    begin_value(r, key);
    append_number(r, value);
}

void record_integer(struct record *r, const char *key, uint64_t value)
{
    char text[24], *digit = text + sizeof text;

    begin_value(r, key);
    do
        *--digit = (char)('0' + value % 10);
    while (value /= 10);
    append(r, digit, (size_t)(text + sizeof text - digit));
}

void record_hex(struct record *r, const char *key, uint64_t value)
{
    char text[24], *digit = text + sizeof text - 1;

    /* without snprintf, which takes a thousand instructions: a machine has hundreds of registers */
    *digit = 0;
    do
        *--digit = "0123456789abcdef"[value & 15];
    while (value >>= 4);
    *--digit = 'x';
    *--digit = '0';
    record_text(r, key, digit);
}

void record_boolean(struct record *r, const char *key, bool value)
{
    begin_value(r, key);
    append_text(r, value ? "true" : "false");
}

void record_null(struct record *r, const char *key)
{
    begin_value(r, key);
    append_text(r, "null");
}

static void open_group(struct record *r, const char *key, bool array)
{
    begin_value(r, key);
    append_text(r, array ? "[" : "{");
    r->comma = false;
    if (r->depth == 31) { /* `arrays` has no more bits */
        r->broken = true;
        return;
    }
    r->depth++;
    r->arrays = (r->arrays & ~((uint32_t)1 << r->depth)) | (uint32_t)array << r->depth;
}

void record_array(struct record *r, const char *key)
{
    open_group(r, key, true);
}

void record_object(struct record *r, const char *key)
{
    open_group(r, key, false);
}

void record_close(struct record *r)
{
    if (r->depth == 0) {
        r->broken = true;
        return;
    }
    append_text(r, r->arrays >> r->depth & 1 ? "]" : "}");
    r->depth--;
    r->comma = true;
}

/* Sends a warning in the place of a record that could not be built. It allocates nothing, since memory may be short. */
static void send_loss(struct writer *w, const char *kind, const char *why)
{
    char line[160];
    size_t used;

    w->lost += w->sink_count;
    used = (size_t)snprintf(line, sizeof line - LINE_END_ROOM,
                            "{\"t\":\"warning\",\"subject\":\"%s\",\"text\":\"record lost: %s\"", kind, why);
    used += line_end_format(line + used, line, used);
    write_line(w, line, used, false);
}

void record_send(struct record *r)
{
    char end[LINE_END_ROOM];
    bool may_wait = is_bulk(r->kind, strlen(r->kind));

    if (r->depth > 0)
        r->broken = true;
    if (!r->broken)
        append(r, end, line_end_format(end, r->text, r->used));
    if (!r->broken)
        write_line(r->writer, r->text, r->used, may_wait);
    else
        send_loss(r->writer, r->kind, r->text ? "its parts do not match" : "out of memory");
    free(r->text);
    r->text = NULL;
}

void record_warning(struct writer *w, const char *subject, const char *text)
{
    struct record r;

    record_start(&r, w, "warning");
    record_text(&r, "subject", subject);
    record_text(&r, "text", text);
    record_send(&r);
}
