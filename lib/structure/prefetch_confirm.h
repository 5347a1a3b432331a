/*
 * Whether what was found of sequences is found again, much later and in the other direction.
 *
 * Prefetchers that adapt bring lines at some times and not at others, and what else uses a level hides some for a while.
 * A look that is repeated at once meets the same state; so at the end of all experiments each length of a sequence is
 * measured once more, in both directions. A number counts where it is the same then.
 *
 * Method: docs/METHODS.md, 7.22.
 */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_CONFIRM_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_CONFIRM_H

#include "lib/structure/prefetch_kinds.h"
#include "lib/structure/prefetch_reach.h"

/* Keeps in which levels the lines of *r are that the kind brings: all but those in `known`, as bits. */
void prefetch_add_levels(struct prefetch_found *f, const struct reach *r, uint32_t known);
/*
 * Compares a sequence of n accesses, `count` lines behind which were looked at again, with what f->in and f->perhaps say
 * of it. in, unclear: as bits, without those that a single access may bring. Sets f->unsteady[n] where they differ.
 */
void prefetch_compare(struct prefetch_found *f, unsigned n, uint32_t in, uint32_t unclear, unsigned count);
/*
 * Measures the sequences of the kinds stride and stream again, and takes back the numbers, and the words that rest on
 * them, that are not as they were; sets `into` of both. False: the probe has ended.
 */
bool prefetch_confirm(struct prefetch_kinds *k);
/*
 * Takes back of f->numbers what its views contradict each other in, and what may have begun earlier, at lines that a
 * single access brings as well.
 */
void prefetch_doubt_numbers(struct prefetch_found *f);

#endif
