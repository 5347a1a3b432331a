#include "boot/linux/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- One line ---------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char candidates[] = "\t;,";

/*
 * Whether the text behind `at` is inside quotes; `quoted` says whether the text before it is. A quote opens only where
 * a field may begin, or right behind another one, with which it stands for a quote.
 */
static bool quoted_after(const char *line, const char *at, bool quoted)
{
    if (*at != '"')
        return quoted;
    return !quoted && (at == line || at[-1] == '"' || is_blank(at[-1]) || strchr(candidates, at[-1]));
}

/* The first of the separators that the line holds outside quotes. */
static char separator_of(const char *line)
{
    for (const char *candidate = candidates; *candidate; candidate++) {
        bool quoted = false;
        for (const char *at = line; *at; at++) {
            quoted = quoted_after(line, at, quoted);
            if (*at == *candidate && !quoted)
                return *candidate;
        }
    }
    return ' ';
}

/* Ends the line at a # that begins a comment. */
static void cut_comment(char *line)
{
    bool quoted = false;

    for (char *at = line; *at; at++) {
        quoted = quoted_after(line, at, quoted);
        if (*at == '#' && !quoted && (at == line || is_blank(at[-1]))) {
            *at = 0;
            return;
        }
    }
}

/*
 * Resolves the quotes of the field that begins with one, in place, and ends it. Returns what follows the closing
 * quote, NULL when there is none.
 */
static char *unquote(char *field)
{
    char *out = field, *at = field + 1;

    for (; *at && (*at != '"' || at[1] == '"'); at++) {
        at += *at == '"';
        *out++ = *at;
    }
    if (!*at)
        return NULL;
    *out = 0;
    return at + 1;
}

static bool too_many(struct csv *c)
{
    if (c->count == CSV_COLUMNS)
        snprintf(c->error, sizeof c->error, "more than %d columns; is it a table?", CSV_COLUMNS);
    else
        snprintf(c->error, sizeof c->error,
                 "more columns than the %zu of the first row; decimals need a point, not a comma, and text that holds "
                 "the separator needs quotes",
                 c->columns);
    return false;
}

/* Cuts the line into c->field. */
static bool split(struct csv *c, char *line)
{
    bool blanks = c->separator == ' ', first = c->columns == 0, more = true;

    c->count = 0;
    for (char *at = line; more;) {
        while (is_blank(*at) && (blanks || *at != c->separator))
            at++;
        if (blanks && !*at)
            break;

        char *field = at;
        if (*field == '"') {
            at = unquote(field);
            if (!at) {
                snprintf(c->error, sizeof c->error, "column %zu: a quote is not closed on its line; close it",
                         c->count + 1);
                return false;
            }
            while (!blanks && is_blank(*at) && *at != c->separator)
                at++;
            if (*at && *at != c->separator && !(blanks && is_blank(*at))) {
                snprintf(c->error, sizeof c->error,
                         "column %zu: text after a closing quote; a quote inside a field is written twice",
                         c->count + 1);
                return false;
            }
            more = *at != 0;
        } else {
            while (*at && *at != c->separator && !(blanks && is_blank(*at)))
                at++;
            more = *at != 0;
            char *end = at;
            while (end > field && is_blank(end[-1]))
                end--;
            *end = 0;
        }
        at++; /* over the separator; behind the line's end nothing is looked at */

        if (c->count == CSV_COLUMNS || (!first && c->count == c->columns && *field))
            return too_many(c);
        if (first || c->count < c->columns)
            c->field[c->count++] = field;
    }
    if (first)
        c->columns = c->count;
    return true;
}

/* The line stands in c->text, without its LF. */
static bool line_ended(struct csv *c)
{
    char *line = c->text;

    c->line++;
    if (c->used > 0 && line[c->used - 1] == '\r')
        c->used--;
    line[c->used] = 0;
    if (c->used >= 3 && !memcmp(line, "\xef\xbb\xbf", 3))
        line += 3;
    if ((size_t)(c->text + c->used - line) != strlen(line) ||
        (c->line == 1 && (!strncmp(line, "\xff\xfe", 2) || !strncmp(line, "\xfe\xff", 2)))) {
        snprintf(c->error, sizeof c->error, "not plain text: save it as UTF-8 or ASCII");
        return false;
    }
    c->used = 0;

    cut_comment(line);
    if (!line[strspn(line, " \t")])
        return true;
    if (!c->separator)
        c->separator = separator_of(line);
    return split(c, line) && c->row(c->context, c);
}

/* ---- A file ------------------------------------------------------------------------------------ */

void csv_start(struct csv *c, bool (*row)(void *context, struct csv *c), void *context)
{
    c->row = row;
    c->context = context;
    c->count = c->columns = c->used = 0;
    c->line = 0;
    c->separator = 0;
    c->error[0] = 0;
}

bool csv_feed(struct csv *c, const char *bytes, size_t count)
{
    while (count && !c->error[0]) {
        const char *newline = memchr(bytes, '\n', count);
        size_t part = newline ? (size_t)(newline - bytes) : count;

        if (part > CSV_LINE_BYTES - c->used) {
            c->line++;
            snprintf(c->error, sizeof c->error, "a line of more than %d bytes; is it a table?", CSV_LINE_BYTES);
            return false;
        }
        memcpy(c->text + c->used, bytes, part);
        c->used += part;
        if (!newline)
            return true;
        bytes += part + 1;
        count -= part + 1;
        if (!line_ended(c))
            return false;
    }
    return !c->error[0];
}

bool csv_end(struct csv *c)
{
    if (c->error[0])
        return false;
    return c->used == 0 || line_ended(c);
}

/* ---- A field ----------------------------------------------------------------------------------- */

enum csv_value csv_value(const char *field, double *number)
{
    static const char *const missing[] = {"", "-", "na", "n/a", "null", "none"};
    char *end;

    /* C's own reading, decimal or hexadecimal, to the nearest double; also of inf, nan and nan(…). */
    double value = strtod(field, &end);
    if (end > field && !*end) {
        *number = isfinite(value) ? value : (double)NAN;
        return isfinite(value) ? CSV_NUMBER : CSV_MISSING;
    }
    *number = (double)NAN;
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        if (!strcasecmp(field, missing[i]))
            return CSV_MISSING;
    return CSV_TEXT;
}
