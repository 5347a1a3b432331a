/*
 * Does a prefetcher bring less while other lines are under way? The list that just trains it is done with loads of
 * other lines before its last access: they have arrived before that, or they are under way when it is done.
 */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_THROTTLE_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_THROTTLE_H

#include "lib/structure/prefetch_kinds.h"

/* Sets the word PREFETCH_THROTTLED of all kinds that exist. False: the probe has ended. */
bool prefetch_find_throttled(struct prefetch_kinds *k);

#endif
