/*
 * Whether a prefetcher of sequences, the kinds stride and stream, goes ever farther ahead as a sequence goes on.
 * lib/structure/prefetch_kinds.h has the terms.
 */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_GROWTH_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_GROWTH_H

#include "lib/structure/prefetch_kinds.h"

/*
 * Returns the trait PREFETCH_GROWTH, from the lines that ever longer sequences have brought: the first one that trains,
 * and those behind it up to f->measured.
 */
struct prefetch_word prefetch_growth(const struct prefetch_found *f);

#endif
