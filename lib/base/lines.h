/* Lines of text for a page that is photographed: as wide as the narrowest console, each cut where it is full. */
#ifndef FATHOM_LIB_BASE_LINES_H
#define FATHOM_LIB_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

enum { LINES_MAXIMUM = 40, LINE_COLUMNS = 79 };

struct lines {
    char text[LINES_MAXIMUM][LINE_COLUMNS + 1];
    size_t count;
    bool open; /* the last line consists of words that lines_word has added, and takes more */
};

/* Adds a line. What does not fit is cut; further lines than LINES_MAXIMUM are left out. */
void lines_add(struct lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a word, or a few that belong together, to a line of words; begins a new one where it does not fit. */
void lines_word(struct lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a text on as many lines as it takes, broken at blanks; behind the first they are indented. */
void lines_text(struct lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
