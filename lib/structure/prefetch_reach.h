/*
 * How far a sequence of accesses reaches: which of the lines that would follow it are brought near.
 *
 * Method: docs/METHODS.md, 7.22.
 */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_REACH_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_REACH_H

#include "lib/structure/prefetch_look.h"

enum {
    REACH_LINES = 63,   /* from the first access to the last line that is looked at: all lie in one page */
    PREFETCH_SINGLE = 6 /* lines on either side of a single access that are looked at */
};

/* Accesses at constant distances. */
struct sequence {
    int stride;     /* lines; negative: descending */
    unsigned count; /* accesses */
    bool one;       /* by one load instruction; else each by its own */
};

/* Bit i: the line `i` strides behind the last access; bit 0 stands for none. */
struct reach {
    uint32_t in, unclear;
    uint32_t most;       /* that were looked at */
    enum nearness where; /* of the nearest that is in */
};

/* The most strides behind such a sequence that can be looked at. */
unsigned reach_most(const struct sequence *s);
/* False: the probe has ended. */
bool reach_measure(struct prefetch_look *w, const struct sequence *s, struct reach *out);
/* The sequence, for lists that do something else as well: its accesses, the first of them `at` bytes behind the begin. */
void reach_add(struct access_list *l, const struct sequence *s, int32_t at, uint32_t first_site);
/*
 * Of what lies behind an access at that stride, in strides: the lines that are brought for a single access, of which
 * bit i of `up` and of `down` is line i behind and before it.
 */
uint32_t reach_by_single(uint32_t up, uint32_t down, int stride);
/* How many bits are set; the number of the highest one, 0: none. */
unsigned reach_count(uint32_t bits);
unsigned reach_farthest(uint32_t bits);

#endif
