#include "lib/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checksum -------------------------------------------------------------------------------- */

/*
 * CRC-32 of IEEE 802.3, section 3.2.9: polynomial 0x04C11DB7, reflected, preset and inverted. Four
 * bits a step: table[n] is the remainder of n.
 */
uint32_t crc32_of(const char *bytes, size_t count)
{
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    uint32_t crc = 0xffffffff;

    for (size_t i = 0; i < count; i++) {
        crc ^= (unsigned char)bytes[i];
        crc = table[crc & 15] ^ (crc >> 4);
        crc = table[crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}

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

/* What a sink took and never flushed counts as lost with it. */
static void fail_sink(struct writer *w, size_t i)
{
    w->sinks[i].failed = true;
    w->lost += w->unflushed[i];
    w->unflushed[i] = 0;
}

/* Measurements, as against what was found: most of the bytes. Their lines may wait for a flush. */
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

/* Each failure is told once; a sink that fails to take the warning is told of in turn. */
static void warn_of_failures(struct writer *w)
{
    for (size_t i = 0; i < w->sink_count; i++) {
        if (w->sinks[i].failed && !w->told[i]) {
            w->told[i] = true;
            record_warning(w, w->sinks[i].name, "failed; it holds no records from about here on");
        }
    }
}

/*
 * Flushes the first sink, then gives the others what was held back for that flush, and the line
 * that could not wait, if any.
 */
static void settle(struct writer *w, const char *line, size_t bytes)
{
    /* Taken over here: a warning on the way is a line of its own and must not give it out again. */
    size_t held = w->held_used;

    w->held_used = 0;
    w->flush_due = false;
    if (w->sink_count > 0)
        flush_sink(w, 0);
    /* Before the lines that the first sink may have lost, so that nobody takes them for flushed. */
    warn_of_failures(w);

    for (size_t at = 0; at < held;) {
        const char *newline = memchr(w->held + at, '\n', held - at);
        size_t length = (size_t)(newline - (w->held + at)) + 1;

        write_later_sinks(w, w->held + at, length);
        at += length;
    }
    if (bytes > 0)
        write_later_sinks(w, line, bytes);
    for (size_t i = 1; i < w->sink_count; i++)
        flush_sink(w, i);
    warn_of_failures(w);
    w->last_flush = machine_seconds();
}

/* False when there is no memory to hold it in: then it cannot wait. */
static bool hold_line(struct writer *w, const char *line, size_t bytes)
{
    if (w->sink_count < 2)
        return true;
    if (w->held_room - w->held_used < bytes) {
        size_t room = 2 * w->held_room + bytes;
        char *held = realloc(w->held, room);

        if (!held)
            return false;
        w->held = held;
        w->held_room = room;
    }
    memcpy(w->held + w->held_used, line, bytes);
    w->held_used += bytes;
    return true;
}

static void write_line(struct writer *w, const char *line, size_t bytes, bool may_wait)
{
    w->lines++;
    if (w->sink_count > 0)
        write_sink(w, 0, line, bytes);
    w->flush_due = true;
    if (may_wait && !w->sinks[0].failed && hold_line(w, line, bytes))
        writer_flush(w, false);
    else
        settle(w, line, bytes);
}

void writer_flush(struct writer *w, bool force)
{
    double waited = machine_seconds() - w->last_flush;
    bool recent = waited >= 0 && waited < 0.25; /* false too when the clock stepped back or has no value */

    if (w->flush_due && (force || !recent))
        settle(w, NULL, 0);
}

void writer_stop(struct writer *w)
{
    writer_flush(w, true);
    free(w->held);
    w->held = NULL;
    w->held_used = w->held_room = 0;
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

/* What comes before any value. A key where none belongs, or none where one does, breaks the record. */
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

static void append_number(struct record *r, double value)
{
    char text[32];

    if (!isfinite(value)) {
        append_text(r, "null");
        return;
    }
    /* Whole numbers without an exponent, as far as doubles hold every one of them: 2^53. */
    if (fabs(value) <= 9007199254740992.0 && value == floor(value)) {
        snprintf(text, sizeof text, "%.0f", value);
    } else {
        /* 15 digits always survive a double, 17 always tell two doubles apart (IEEE 754-2019, 5.12.2). */
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
    char text[24];

    begin_value(r, key);
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    append_text(r, text);
}

void record_hex(struct record *r, const char *key, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
    record_text(r, key, text);
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
    if (r->depth == 31) { /* as many as `arrays` has bits for */
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

/* The checksum, the end of the line's object and of the line: 17 bytes and a final 0. */
enum { LINE_END = 18 };

static size_t format_line_end(char out[LINE_END], const char *line, size_t used)
{
    return (size_t)snprintf(out, LINE_END, ",\"c\":\"%08x\"}\n", (unsigned)crc32_of(line, used));
}

/* In place of a record that could not be built. Takes no memory, since that may be what is missing. */
static void send_loss(struct writer *w, const char *kind, const char *why)
{
    char line[160];
    size_t used;

    w->lost += w->sink_count;
    used = (size_t)snprintf(line, sizeof line - LINE_END,
                            "{\"t\":\"warning\",\"subject\":\"%s\",\"text\":\"record lost: %s\"", kind, why);
    used += format_line_end(line + used, line, used);
    write_line(w, line, used, false);
}

void record_send(struct record *r)
{
    char end[LINE_END];
    bool may_wait = is_bulk(r->kind, strlen(r->kind));

    if (r->depth > 0)
        r->broken = true;
    if (!r->broken)
        append(r, end, format_line_end(end, r->text, r->used));
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

/* ---- Reading our own lines back --------------------------------------------------------------- */

bool record_line_good(const char *line, size_t bytes)
{
    char end[LINE_END];
    size_t end_bytes = LINE_END - 2; /* neither newline nor final 0 */

    if (bytes <= end_bytes || line[0] != '{')
        return false;
    format_line_end(end, line, bytes - end_bytes);
    return memcmp(line + bytes - end_bytes, end, end_bytes) == 0;
}

/* A place in a line. Every step checks against the end, whatever the line holds. */
struct cursor {
    const char *at, *end;
};

static bool accept(struct cursor *c, char wanted)
{
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

/* Text under construction; what does not fit is dropped. */
struct text {
    char *out;
    size_t used, room;
    bool full;
};

static void put(struct text *t, const char *bytes, size_t count)
{
    if (t->full || t->room - t->used <= count) {
        t->full = true;
        return;
    }
    memcpy(t->out + t->used, bytes, count);
    t->used += count;
}

static void put_code(struct text *t, uint32_t code)
{
    char utf8[4];
    size_t count;

    if (code < 0x80) {
        utf8[0] = (char)code;
        count = 1;
    } else if (code < 0x800) {
        utf8[0] = (char)(0xc0 | code >> 6);
        utf8[1] = (char)(0x80 | (code & 0x3f));
        count = 2;
    } else {
        utf8[0] = (char)(0xe0 | code >> 12);
        utf8[1] = (char)(0x80 | (code >> 6 & 0x3f));
        utf8[2] = (char)(0x80 | (code & 0x3f));
        count = 3;
    }
    put(t, utf8, count);
}

/* The four digits after \u; false when they are not hexadecimal. */
static bool read_code(struct cursor *c, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, c->at++) {
        char digit = c->at < c->end ? *c->at : 0;

        if (digit >= '0' && digit <= '9')
            *code = *code << 4 | (uint32_t)(digit - '0');
        else if ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f')
            *code = *code << 4 | (uint32_t)((digit | 0x20) - 'a' + 10);
        else
            return false;
    }
    return true;
}

/*
 * Reads a string, escapes resolved, into t; false when it does not end. Our lines escape control
 * characters only, so a surrogate is not ours, and a 0 could not be told from the end: both become
 * U+FFFD.
 */
static bool read_string(struct cursor *c, struct text *t)
{
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";

    if (!accept(c, '"'))
        return false;
    while (c->at < c->end && *c->at != '"') {
        const char *escape;
        uint32_t code;

        if (!accept(c, '\\')) {
            put(t, c->at++, 1);
        } else if (accept(c, 'u')) {
            if (!read_code(c, &code))
                return false;
            put_code(t, code == 0 || (code >= 0xd800 && code < 0xe000) ? 0xfffd : code);
        } else {
            escape = c->at < c->end && *c->at ? strchr(escapes, *c->at) : NULL;
            if (!escape)
                return false;
            put(t, &meanings[escape - escapes], 1);
            c->at++;
        }
    }
    return accept(c, '"');
}

/* A number, true, false or null, as written. */
static bool read_word(struct cursor *c, struct text *t)
{
    const char *begin = c->at;

    while (c->at < c->end && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *c->at) && *c->at)
        c->at++;
    put(t, begin, (size_t)(c->at - begin));
    return c->at > begin;
}

/* Passes over an object or array; brackets inside of strings do not count. */
static bool skip_group(struct cursor *c)
{
    struct text nowhere = {.full = true};
    unsigned depth = 0;

    do {
        if (c->at == c->end)
            return false;
        if (*c->at == '"') {
            if (!read_string(c, &nowhere))
                return false;
            continue;
        }
        if (*c->at == '{' || *c->at == '[')
            depth++;
        else if (*c->at == '}' || *c->at == ']')
            depth--;
        c->at++;
    } while (depth > 0);
    return true;
}

bool record_line_field(const char *line, size_t bytes, size_t *at, struct record_field *f)
{
    struct cursor c = {line + *at, line + bytes};
    struct text nowhere = {.full = true}, key = {.out = f->key, .room = sizeof f->key};

    if (!accept(&c, *at ? ',' : '{') || !read_string(&c, &key) || !accept(&c, ':') || c.at == c.end)
        return false;
    f->key[key.full ? 0 : key.used] = 0;
    f->value = c.at;
    bool group = *c.at == '{' || *c.at == '[';
    if (!(group ? skip_group(&c) : *c.at == '"' ? read_string(&c, &nowhere) : read_word(&c, &nowhere)))
        return false;
    f->bytes = (size_t)(c.at - f->value);
    *at = (size_t)(c.at - line);
    return true;
}

void record_field_text(const struct record_field *f, char *out, size_t room)
{
    struct cursor c = {f->value, f->value + f->bytes};
    struct text t = {.out = out, .room = room};

    if (f->bytes > 0 && *f->value == '"')
        read_string(&c, &t);
    else
        put(&t, f->value, f->bytes);
    out[t.used] = 0;
}

bool record_line_value(const char *line, size_t bytes, const char *key, char *out, size_t room)
{
    struct record_field f = {.bytes = 0};

    if (room == 0)
        return false;
    for (size_t at = 0; record_line_field(line, bytes, &at, &f);) {
        if (f.bytes > 0 && *f.value != '{' && *f.value != '[' && strcmp(f.key, key) == 0) {
            record_field_text(&f, out, room);
            return true;
        }
    }
    return false;
}
