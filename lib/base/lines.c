#include "lib/base/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 400, INDENT = 2 };

static void add(struct lines *l, const char *text)
{
    if (l->count < LINES_MAXIMUM)
        snprintf(l->text[l->count++], sizeof l->text[0], "%s", text);
}

void lines_add(struct lines *l, const char *format, ...)
{
    char text[LINE_COLUMNS + 1];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add(l, text);
    l->open = false;
}

void lines_word(struct lines *l, const char *format, ...)
{
    char word[LINE_COLUMNS + 1];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(word, sizeof word, format, arguments);
    va_end(arguments);
    char *last = l->text[l->count ? l->count - 1 : 0];
    if (l->open && strlen(last) + 2 + strlen(word) <= LINE_COLUMNS) {
        strcat(last, "  ");
        strcat(last, word);
    } else {
        add(l, word);
        l->open = true;
    }
}

void lines_text(struct lines *l, const char *format, ...)
{
    char text[TEXT];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (const char *rest = text; *rest; rest += strspn(rest, " ")) {
        const int indent = rest == text ? 0 : INDENT;
        const size_t room = (size_t)(LINE_COLUMNS - indent);
        size_t take = strlen(rest);

        if (take > room) {
            for (take = room; take && rest[take] != ' ';)
                take--;
            take = take ? take : room; /* a word that is longer than a line */
        }
        lines_add(l, "%*s%.*s", indent, "", (int)take, rest);
        rest += take;
    }
}
