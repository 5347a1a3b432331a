/*
 * What a list of accesses fetched, line by line, to be drawn: the accesses, and the lines around the last of them that
 * were brought.
 */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_SHOWN_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_SHOWN_H

#include "lib/structure/prefetch_look.h"

enum {
    SHOWN_ACCESSES = 16,
    SHOWN_LINES = 32, /* that are looked at */
    SHOWN_LISTS = 8   /* of one kind of prefetcher */
};

/* Lines are counted from the last access on, which is line 0. */
struct prefetch_shown {
    const char *list; /* what was accessed; NULL: a sequence */
    int accessed[SHOWN_ACCESSES], at[SHOWN_LINES];
    enum nearness where[SHOWN_LINES]; /* of the lines `at` */
    size_t accesses, lines;
};

/*
 * Keeps what the looks at `lines` lines showed after `accesses` loads, the last of which brought them. Of more than
 * there is room for the last accesses are kept, and the first lines; accessed lines are left out of these.
 */
void prefetch_show(struct prefetch_shown *s, const char *list, const struct listed_load *load, size_t accesses,
                   const struct looked *line, size_t lines);
/*
 * The same of a sequence of loads `stride` lines apart. Bit i of `in` is set if the line i strides ahead is brought; of
 * `unclear`, if that is not certain; `most`: the most strides ahead that were looked at.
 */
void prefetch_show_sequence(struct prefetch_shown *s, unsigned accesses, int stride, uint32_t in, uint32_t unclear,
                            unsigned most);

#endif
