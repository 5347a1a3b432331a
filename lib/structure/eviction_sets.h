/*
 * Eviction sets: how many pages a physically indexed cache holds when no set is overfilled, and how many of them lie in
 * one set (docs/METHODS.md, 7.5).
 *
 * Nobody chooses frames in a process, so pages are selected by what they do. A pointer chase goes over `lines` lines
 * of each page, at the same places in all of them, in random order. Pages are added to a collection as long as this
 * brings no misses. When no further page can be added, the collection fills all sets that these lines can lie in. A
 * rejected page brings misses back; they disappear only when a page of its own set is removed from the collection. So
 * pages are removed in groups, and groups that matter are halved, until the pages of that set are counted. Their
 * number is the ways.
 *
 * Method: eviction sets by group testing (Vila, Köpf and Morales 2019); adding pages until a cache is full: lmbench's
 * `cache`, which exchanges pages that raise the latency.
 */
#ifndef FATHOM_LIB_STRUCTURE_EVICTION_SETS_H
#define FATHOM_LIB_STRUCTURE_EVICTION_SETS_H

#include "lib/base/reason.h"
#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"

enum {
    EVICTION_SETS = 3,              /* sets whose ways are counted */
    EVICTION_LINES = 8,             /* of each page, at most */
    EVICTION_POOL_FACTOR = 6,       /* pages of the pool for each that the cache holds: enough for every set */
    EVICTION_FIRST_LEVEL_WAYS = 24, /* more than any first level has, so that it holds few lines of one place */
    EVICTION_PLACES = 2,            /* places in a page over which the control spreads its lines */
    /* Pages of the pool at least: with fewer the first level may hold what is attributed to the second. */
    EVICTION_POOL_LEAST = 2 * EVICTION_POOL_FACTOR * EVICTION_FIRST_LEVEL_WAYS * EVICTION_PLACES
};

struct eviction_sets {
    struct probe *p;
    struct pointer_chase chase;
    size_t page_bytes, pool; /* pages that there are to choose from */
    size_t lines;            /* of each page */
    size_t *collected;       /* numbers of the pages that do not conflict, and room for all others */
    size_t collected_count;  /* … of them */
    size_t *rejected;        /* numbers of rejected pages, followed by scratch for two lists */
    size_t *offsets;         /* scratch: the lines of a chase */
    size_t control_count;    /* pages of the last control; 0: none was measured */
    double control_cycles;   /* what a round of that control took */
    double miss_cycles;      /* by which a miss takes longer than a hit */
    double deadline;         /* machine_seconds */
    enum reason reason;      /* why the search ended early; REASON_NONE: it did not */
};

/*
 * Maps `pool` pages of that size and allocates the lists. False: there is no memory, and the probe has ended.
 * eviction_sets_free must follow in either case; the pages stay mapped until the probe ends.
 */
bool eviction_sets_map(struct probe *p, struct eviction_sets *e, size_t pool, size_t page_bytes);
void eviction_sets_free(struct eviction_sets *e);
/*
 * Collects pages that do not conflict, by accesses to `lines` lines of each, 1 to EVICTION_LINES, and then counts the
 * ways of up to EVICTION_SETS sets. It ends once `seconds` have passed (BUDGET). e must be mapped. Afterwards
 * e->collected_count is the number of pages collected, and ways[] has the ways of each set, NaN where they were not
 * counted; where e->reason is set, pages or ways are missing. False: the probe has ended.
 */
bool eviction_sets_find(struct eviction_sets *e, size_t lines, double seconds, double ways[EVICTION_SETS]);

#endif
