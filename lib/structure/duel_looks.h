/*
 * Looks at sets of the second level of cache that may duel, and walks that make them favour one of two policies
 * (lib/structure/set_dueling.h, probes/memory/set_dueling.c).
 *
 * One area has everything, in parts that are multiples of what a way spans, so that the same place in each is the same
 * set:  five halves of the cache | lines of looks | displacers.  The first three halves are the cycle that is half again
 * as long as the cache.
 *
 * Method: docs/METHODS.md, 7.26.
 */
#ifndef FATHOM_LIB_STRUCTURE_DUEL_LOOKS_H
#define FATHOM_LIB_STRUCTURE_DUEL_LOOKS_H

#include "lib/kernels/displaced_chase.h"
#include "lib/structure/replacement_span.h"
#include "lib/structure/set_dueling.h"

enum { DUEL_HALVES = 5, DUEL_CYCLE_HALVES = 3 };

struct duel_looks {
    struct probe *p;
    unsigned ways;
    size_t way_bytes, sets;
    struct displacers displacers;
    struct pointer_chase chase;                      /* of looks */
    struct pointer_chase cycle, halves[DUEL_HALVES]; /* in the same ring */
    size_t half_lines;
    unsigned walk_times[DUEL_FAVOURS]; /* how often each favour goes round the cycle, or through all halves */
    struct kernel walk, look;
    double hits, misses; /* ticks of a reading of a look without misses, and of nothing else */
};

/*
 * Maps the memory and makes the kernels. *reason: why it cannot be tried, or REASON_NONE; it can be because hits and
 * misses do not differ. False: the probe has ended.
 */
bool duel_looks_start(struct probe *p, struct duel_looks *d, const struct cache_span *first,
                      const struct cache_span *second, enum reason *reason);
/* Makes the cache favour a policy. False: the probe has ended. */
bool duel_favour(struct duel_looks *d, enum duel_favour favour);
/* Looks at a set by its number. False: the probe has ended. */
bool duel_look(struct duel_looks *d, size_t set, enum duel_look *look);

#endif
