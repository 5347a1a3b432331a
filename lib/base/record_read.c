#include "lib/base/record_read.h"

#include <stdint.h>
#include <string.h>

#include "lib/base/checksum.h"
#include "lib/base/record.h"

bool record_line_good(const char *line, size_t bytes)
{
    char end[LINE_END_ROOM];
    size_t end_bytes = LINE_END_ROOM - 2; /* neither newline nor final 0 */

    if (bytes <= end_bytes || line[0] != '{')
        return false;
    line_end_format(end, line, bytes - end_bytes);
    return memcmp(line + bytes - end_bytes, end, end_bytes) == 0;
}

/* A position in a line. Every step checks against the end, whatever the line holds. */
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
 * characters only, so a surrogate is not ours, and a 0 would look like the end of the text: both
 * become U+FFFD.
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
