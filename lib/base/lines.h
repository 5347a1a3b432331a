/* Lines of text for a page that is photographed: as wide as the narrowest console, each cut where it is full. */
#ifndef FATHOM_LIB_BASE_LINES_H
#define FATHOM_LIB_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

enum { LINES_MAXIMUM = 40, LINE_COLUMNS = 79 };

/* A page; begins as all zero. */
struct lines {
    char text[LINES_MAXIMUM][LINE_COLUMNS + 1];
    size_t count;
    bool open; /* the last line consists of words that lines_word has added, and takes more */
};

/*
 * Adds a line, formatted as by printf. What is longer than LINE_COLUMNS is cut. A page that has LINES_MAXIMUM lines
 * takes no more of them.
 */
void lines_add(struct lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Adds a word, or a few that belong together, to the end of the last line, after two blanks; begins a new line where it
 * does not fit, or where the last line was not made by lines_word.
 */
void lines_word(struct lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Adds a text, 399 bytes of it at most, on as many lines as it takes, broken at blanks; lines after its first are
 * indented by two blanks.
 */
void lines_text(struct lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
