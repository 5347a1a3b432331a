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
    const struct verdict *same;     /* loads from further pages of the same size, of which each takes an entry */
    const struct verdict *other;    /* to the pages in question */
    bool half_rise;                 /* the level ends half way up a ramp */
    double pages;                   /* that the accesses go to, of either kind */
    double entries_per_page; /* that the pages in question take if they share the level; less than 1: coalescing */
};

/*
 * Decides whether accesses to the pages in question take entries of the level, by how many pages earlier the knee comes
 * than with all accesses to one page. With `same` that must be c->pages: otherwise the experiment shows nothing. With
 * `other` it is c->entries_per_page * c->pages where the level is shared, and 0 where it is separate; it is undecided
 * unless the intervals of the knees allow just one of the two.
 */
struct tlb_sharing tlb_sharing_decide(const struct tlb_sharing_curves *c);

/*
 * Returns what the core declares of its data TLBs of that level. "shared": one array holds the translations of both
 * page sizes (`page` and `other`, as in the variant `page`), or with `stores` those for loads and for stores;
 * "separate": there is an array for each; NULL: it declares neither.
 */
const char *tlb_declared(unsigned level, const char *page, const char *other, bool stores);

#endif
