/*
 * Prefetchers of a modelled core: each sees every load, and brings lines into a level of cache and all behind it, at
 * once. Addresses are virtual, or those of frames.
 */
#ifndef FATHOM_TESTS_MODEL_PREFETCHERS_H
#define FATHOM_TESTS_MODEL_PREFETCHERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PREFETCH_ENTRIES = 64, PREFETCHES = 64 };

/* The next lines, or the other half of a pair of lines. */
struct neighbour_design {
    bool on, pair;
    bool first_of_page; /* only after the first access to a page for a while: one of the last eight pages is not */
    unsigned degree;    /* next lines */
    size_t into;        /* level, 0 is the first */
};

/* A load instruction whose addresses are a constant distance apart. */
struct stride_design {
    unsigned entries;  /* instructions that are remembered, with LRU replacement; 0: there is no such prefetcher */
    unsigned train;    /* loads at constant distances until it begins, 3 or more */
    unsigned degree;   /* lines for each load */
    unsigned distance; /* strides to the farthest of them */
    unsigned lines;    /* a stride is that many lines at most */
    unsigned bits;     /* low bits of the instruction's address that it is known by; 0: all */
    bool crosses;      /* it goes on in the next page */
    size_t into;
};

/* Lines in ascending or descending order within a page, whatever loads them. */
struct stream_design {
    unsigned entries; /* pages that are followed, with LRU replacement; 0: there is no such prefetcher */
    unsigned train;   /* accesses in one direction, each to the line behind the last, until it begins, 2 or more */
    unsigned degree, distance; /* as above, in lines */
    unsigned gap;              /* lines from one access to the next, at most */
    bool down;                 /* it also follows descending lines */
    size_t into;
};

/* What lines of a region follow its first access: remembered by the instruction of that. */
struct region_design {
    unsigned bytes;  /* of a region, a power of two; 0: there is no such prefetcher */
    unsigned active; /* regions that are being recorded */
    bool by_offset;  /* and by where in the region that is */
    size_t into;
};

struct prefetcher_design {
    struct neighbour_design next, pair;
    struct stride_design stride;
    struct stream_design stream;
    struct region_design region;
};

struct prefetchers {
    struct prefetcher_design design;
    bool any; /* there is one */
    uint64_t now;
    uint64_t pages[8];
    struct stride_entry {
        uint64_t key, used;
        int64_t last, stride;
        unsigned same;
    } strides[PREFETCH_ENTRIES];
    struct stream_entry {
        uint64_t page, used;
        int64_t last;
        int direction;
        unsigned run;
    } streams[PREFETCH_ENTRIES];
    struct region_entry { /* being recorded; then a pattern, by its key */
        uint64_t region, key, used, lines;
    } active[PREFETCH_ENTRIES], patterns[PREFETCH_ENTRIES];
};

/* A line that is brought into a level. */
struct prefetched {
    uint64_t address;
    size_t into;
};

void prefetchers_start(struct prefetchers *p, const struct prefetcher_design *design);
/* A load by the instruction at `pc`. Returns how many lines are prefetched, PREFETCHES at most. */
size_t prefetchers_see(struct prefetchers *p, uint64_t pc, uint64_t address, struct prefetched *out);

#endif
