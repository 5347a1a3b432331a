/* The kind `region`: lib/structure/prefetch_kinds.h has the terms. */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_REGION_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_REGION_H

#include "lib/structure/prefetch_kinds.h"

/*
 * Finds whether there is a region prefetcher, how large its regions are, what it knows a pattern by, and how many other
 * regions end the recording of one, and stores that in k->found[PREFETCH_REGION]. False: the probe has ended.
 */
bool prefetch_find_region(struct prefetch_kinds *k);
/* Looks once more at which lines the first access to a region brings. False: the probe has ended. */
bool prefetch_look_region(struct prefetch_kinds *k, struct looked_bits *out);

#endif
