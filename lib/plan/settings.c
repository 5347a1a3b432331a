#include "lib/plan/settings.h"

#include <stdio.h>
#include <string.h>

const char *settings_show(char out[SETTING_KEY], const char *found)
{
    snprintf(out, SETTING_KEY, strlen(found) < SETTING_KEY ? "%s" : "%.40s...", found);
    for (char *c = out; *c; c++) {
        if (*c < ' ' || *c > '~')
            *c = '?';
    }
    return out;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Takes blanks off both ends. */
static void trim(const char **begin, const char **end)
{
    while (*begin < *end && blank(**begin))
        ++*begin;
    while (*begin < *end && blank((*end)[-1]))
        --*end;
}

/* Copies as much as fits. False when the text holds a 0. */
static bool copy(char *out, size_t room, const char *begin, const char *end)
{
    size_t bytes = (size_t)(end - begin);

    if (memchr(begin, 0, bytes))
        return false;
    if (bytes > room - 1)
        bytes = room - 1;
    memcpy(out, begin, bytes);
    out[bytes] = 0;
    return true;
}

/* Where the setting of a line ends: before a comment, or at the line's end. */
static const char *before_comment(const char *begin, const char *end)
{
    for (const char *at = begin; at < end; at++) {
        if (*at == '#' && (at == begin || blank(at[-1])))
            return at;
    }
    return end;
}

static void read_line(const struct settings_reader *r, unsigned line, const char *begin, const char *end)
{
    static char value[SETTING_VALUE];
    char key[SETTING_KEY], text[120], shown[SETTING_KEY];
    const char *equals, *key_end, *value_begin;

    trim(&begin, &end);
    if (begin == end || *begin == '#')
        return;

    equals = memchr(begin, '=', (size_t)(end - begin));
    key_end = equals ? equals : end;
    trim(&begin, &key_end);
    if (!copy(key, sizeof key, begin, key_end)) {
        r->wrong(r->context, line, "holds a zero byte, so it is not text");
        return;
    }
    if (!equals) {
        snprintf(text, sizeof text, "'%s' has no '='; a setting is key = value", settings_show(shown, key));
        r->wrong(r->context, line, text);
        return;
    }

    value_begin = equals + 1;
    if (!r->takes_all || !r->takes_all(key))
        end = before_comment(value_begin, end);
    trim(&value_begin, &end);
    if (!copy(value, sizeof value, value_begin, end)) {
        r->wrong(r->context, line, "holds a zero byte, so it is not text");
        return;
    }
    r->take(r->context, &(struct setting){line, key, value, (size_t)(end - value_begin) >= sizeof value});
}

void settings_read(const char *text, size_t bytes, const struct settings_reader *r)
{
    const char *end = text + bytes;
    unsigned line = 0;

    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
    } else if (bytes >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        /* What Windows' editor calls "Unicode": UTF-16 with a mark, in either byte order. */
        r->wrong(r->context, 0, "is UTF-16 text; save it as UTF-8 or ASCII; nothing in it was used");
        return;
    }
    for (const char *begin = text; begin < end;) {
        const char *stop = begin;

        while (stop < end && *stop != '\n' && *stop != '\r')
            stop++;
        read_line(r, ++line, begin, stop);
        begin = stop + (end - stop >= 2 && stop[0] == '\r' && stop[1] == '\n' ? 2 : 1);
    }
}
