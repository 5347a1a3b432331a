/*
 * One page of results: the most important findings of each family, as many as there is room for.
 */
#ifndef FATHOM_LIB_OBSERVER_PAGE_H
#define FATHOM_LIB_OBSERVER_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/cells.h"
#include "lib/observer/observer.h"

/* A finding of the page, with copies of its texts. */
struct page_finding {
    char name[64];      /* "memory.cache.bytes" */
    char variants[64];  /* as people read them: "level=1 load" */
    char value[40];     /* "-" where it is undecided */
    char published[40]; /* "" where nothing is */
    char grade;
    bool agrees;
    unsigned core;
    unsigned variant; /* number of findings of the same name and core before it */
};

/* All findings that may be shown; begins as all zero. */
struct page {
    struct page_finding *all; /* in the order in which they came; freed by page_free */
    size_t count, room;
};

/*
 * Adds a copy of a finding of the core with index `core`, or replaces the one of the same name, variants and core.
 * False when there is no memory.
 */
bool page_add(struct page *p, const struct observed_finding *f, unsigned core);
/* Frees all findings; the page is empty then. */
void page_free(struct page *p);
/*
 * Chooses findings for `room` lines: writes their indices in p->all to out[], which has that much room, in the order in
 * which they are shown, family by family, the most important first in each. Decided findings on the list in page.c go
 * before other decided ones, these before undecided ones; within each of these groups families take turns, so that none
 * takes the lines of another. Returns how many it has chosen; 0 also when memory is short.
 */
size_t page_choose(const struct page *p, size_t room, size_t *out);
/* Clears the rows from `top` to `bottom` - 1 and draws the page into them, in as many columns side by side as fit. */
void page_draw(const struct page *p, struct cells *c, unsigned top, unsigned bottom);

#endif
