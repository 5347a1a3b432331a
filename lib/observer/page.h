/*
 * One page of results: the most important findings of each family, as many as there is room for.
 */
#ifndef FATHOM_LIB_OBSERVER_PAGE_H
#define FATHOM_LIB_OBSERVER_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/cells.h"
#include "lib/observer/observer.h"

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

struct page {
    struct page_finding *all; /* in the order in which they came; freed by page_free */
    size_t count, room;
};

/* Adds a finding, or replaces the one of the same name, variants and core. False when there is no memory. */
bool page_add(struct page *p, const struct observed_finding *f, unsigned core);
void page_free(struct page *p);
/*
 * Chooses findings for `room` lines: out[] gets their indices in the order in which they are shown, family by family,
 * the most important first in each. Decided findings on the list in page.c go before other decided ones, these before
 * undecided ones; within each of these groups families take turns, so that none takes the lines of another. Returns
 * how many.
 */
size_t page_choose(const struct page *p, size_t room, size_t *out);
/* Draws the page into rows `top` to `bottom` - 1, in as many columns side by side as fit. */
void page_draw(const struct page *p, struct cells *c, unsigned top, unsigned bottom);

#endif
