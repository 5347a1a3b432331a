/*
 * What sequences at a constant distance train: prefetchers by load instruction, and streams. lib/structure/
 * prefetch_kinds.h has the terms.
 */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_STRIDE_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_STRIDE_H

#include "lib/structure/prefetch_kinds.h"

/* Finds the kind `stride` and its parameters. False: the probe has ended. */
bool prefetch_find_stride(struct prefetch_kinds *k);
/*
 * Finds the parameters that the kinds stride and stream have in common (how many accesses train, degree, distance, how
 * many sequences are followed at once, what happens at the border of a page) and stores them in *f. one: sequences are
 * of one load instruction, else each access is by its own. stride, other: distances in lines at which the two
 * experiments are made; other 0: there is one experiment only. With a negative stride neither the number of sequences
 * nor the border is measured. Where no number of accesses trains, f->text is undecided as well. False: the probe has
 * ended.
 */
bool prefetch_train(struct prefetch_kinds *k, struct prefetch_found *f, bool one, int stride, int other);

#endif
