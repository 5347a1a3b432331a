/* What a prefetch of code does, by the cycles of jumps to code that was prefetched and to code that was not. */
#ifndef FATHOM_LIB_STRUCTURE_CODE_PREFETCH_H
#define FATHOM_LIB_STRUCTURE_CODE_PREFETCH_H

#include <stdbool.h>

#include "lib/base/reason.h"

enum { CODE_PREFETCH_DISTANCES = 2 };

/* Cycles of a jump. */
struct code_prefetch_times {
    double before, after; /* nothing that helps is prefetched: measured before the others, and again after them */
    double reference;     /* the same with so few places that nothing misses */
    double cycles[CODE_PREFETCH_DISTANCES]; /* the place was prefetched so many jumps before */
};

enum code_prefetch_effect { CODE_PREFETCH_UNKNOWN, CODE_PREFETCH_NOTHING, CODE_PREFETCH_BRINGS };

/*
 * Whether most of what a miss costs is saved at all distances, or hardly any of it at all of them. *reason becomes why
 * it is unknown.
 */
enum code_prefetch_effect code_prefetch_effect(const struct code_prefetch_times *t, enum reason *reason);
/* Cycles of a jump that the prefetch saves at the distance of that index. */
double code_prefetch_saved(const struct code_prefetch_times *t, unsigned distance);

#endif
