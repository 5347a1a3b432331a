#include "lib/base/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
