/*
 * Shared TLBs: whether accesses of another kind take entries that a pointer chase uses (docs/METHODS.md, 7.8).
 */
#ifndef FATHOM_LIB_STRUCTURE_TLB_SHARING_H
#define FATHOM_LIB_STRUCTURE_TLB_SHARING_H

#include <stdbool.h>

#include "lib/base/reason.h"
#include "lib/knee/knee.h"

struct tlb_sharing {
    enum reason reason; /* why it is undecided; REASON_NONE: it is decided */
    bool shared;        /* the others take entries of the chase; else they take none */
};

/* Three staircases over the pages of a chase, with accesses beside its loads. Only their first knees count. */
struct tlb_sharing_curves {
    const struct verdict *one_page; /* all accesses go to one page */
    const struct verdict *same;     /* to pages of which each surely takes an entry, loads from the same size of page */
    const struct verdict *other;    /* to the pages in question */
    bool half_rise;                 /* the level ends half way up a ramp */
    double pages;                   /* that the accesses go to, of either kind */
    double entries_per_page; /* that the pages in question take if they share the level; less than 1: coalescing */
};

/*
 * Decides by how many pages earlier the knee comes than with one page. In `same` that must be the number of pages:
 * otherwise the experiment shows nothing. In `other` it is the number of entries that its pages take (shared) or 0
 * (separate); the intervals must allow just one of the two.
 */
struct tlb_sharing tlb_sharing_decide(const struct tlb_sharing_curves *c);

/*
 * What the core declares: "shared", one array of that level holds loads' pages of both sizes, or with `stores` loads'
 * pages and stores' pages; "separate", it has an array for each; NULL, it declares neither.
 */
const char *tlb_declared(unsigned level, const char *page, const char *other, bool stores);

#endif
