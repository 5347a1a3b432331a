/*
 * How far a sequence of accesses reaches: which of the lines that would follow it are brought near.
 *
 * Method: docs/METHODS.md, 7.22.
 */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_REACH_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_REACH_H

#include "lib/structure/prefetch_look.h"

enum {
    /* from the first access to the last line that is looked at: all lie in one page, behind the lead, at some places */
    REACH_LINES = ACCESS_PAGE_BYTES / ACCESS_LINE_BYTES - 4 - ACCESS_LEAD_LINES,
    PREFETCH_SINGLE = 6, /* lines on either side of a single access that are looked at */
    REACH_FORGETS = 10   /* accesses after which an instruction has no stride any more: more than a counter of 3 bits */
};

/* Accesses at constant distances. */
struct sequence {
    int stride;     /* lines; negative: descending */
    unsigned count; /* accesses */
    bool one;       /* by one load instruction; else each by its own */
    bool backwards; /* the last of them first */
};

/* Which lines are brought after a sequence. Bit i stands for the line i strides ahead of the last access, i from 1. */
struct reach {
    uint32_t in, unclear;           /* lines that were brought; lines of which that is not certain */
    uint32_t most;                  /* the largest i that was looked at */
    uint32_t first, second, either; /* of the lines that were brought, those in that level; either: looked_level */
};

/* The most strides ahead of the last access of such a sequence that can be looked at; 0: none. */
unsigned reach_most(const struct sequence *s);
/*
 * Measures whether lines are brought, of which `known` are not counted, after the sequence or one that is shorter by up
 * to all but `least` accesses, until any is. A prefetcher that sees misses only brings nothing after an access to a
 * line that it has brought. *count becomes the accesses after which *out was measured. False: the probe has ended.
 */
bool reach_search(struct prefetch_look *w, const struct sequence *s, unsigned least, uint32_t known, unsigned *count,
                  struct reach *out);
/*
 * Measures which lines are brought after the sequence; out->most is 0 where none can be looked at. False: the probe has
 * ended.
 */
bool reach_measure(struct prefetch_look *w, const struct sequence *s, struct reach *out);
/* The same, of lines up to `limit` strides ahead of the last access. */
bool reach_measure_near(struct prefetch_look *w, const struct sequence *s, unsigned limit, struct reach *out);
/*
 * Adds REACH_FORGETS loads of other lines, no two of them as far apart, by that instruction. A prefetcher that keeps a
 * stride over a few wrong ones would go on from the place before.
 */
void reach_forget(struct access_list *l, uint32_t site);
/*
 * Adds the accesses of the sequence to a list: the first one at `at` bytes from the begin of its place, by load
 * instruction number first_site; each by the same one, which forgets before, or by the next one each.
 */
void reach_add(struct access_list *l, const struct sequence *s, int32_t at, uint32_t first_site);
/*
 * Returns which lines ahead of an access at multiples of `stride` are brought because of that single access: bit i
 * stands for the line i * stride lines away, i from 1. Of `up` and `down` bit i says whether a single access brings the
 * line i lines above and below it. stride: in lines, negative: downwards; lines farther than PREFETCH_SINGLE are left
 * out.
 */
uint32_t reach_by_single(uint32_t up, uint32_t down, int stride);
/* How many bits are set. */
unsigned reach_count(uint32_t bits);
/* The number of the highest bit that is set; 0: none is. */
unsigned reach_farthest(uint32_t bits);

#endif
