/*
 * One page of results: the most telling findings of each family, as many as there is room for.
 */
#ifndef FATHOM_LIB_PAGE_H
#define FATHOM_LIB_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/cells.h"
#include "lib/watch.h"

struct page_finding {
    char name[64];      /* "memory.cache.bytes" */
    char variants[64];  /* as people read them: "level=1 load" */
    char value[40];     /* "-" where it is undecided */
    char published[40]; /* "" where nothing is */
    char grade;
    bool agrees;
    unsigned core;
    unsigned variant; /* how many of the same name and core came before it */
};

struct page {
    struct page_finding *all; /* in the order in which they came; freed by page_free */
    size_t count, room;
};

/* A finding of the same name, variants and core is replaced. False when there is no memory. */
bool page_add(struct page *p, const struct watched_finding *f, unsigned core);
void page_free(struct page *p);
/*
 * Indices of the findings for `room` lines, in the order in which they are shown: family by family, in each what tells
 * most first. Decided ones of the list that page.c has go before other decided ones, and these before undecided ones;
 * in each of these rounds families take turns, so that none takes the room of another. Returns how many there are.
 */
size_t page_choose(const struct page *p, size_t room, size_t *out);
/* Draws the page into the rows from `top` to before `bottom`, in as many columns as are wide enough. */
void page_draw(const struct page *p, struct cells *c, unsigned top, unsigned bottom);

#endif
