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
 * Finds what is common to both kinds of sequences, by sequences of one load instruction or many, at one or two (0: one)
 * distances: training, degree, distance, how many at once, page border.
 */
bool prefetch_train(struct prefetch_kinds *k, struct prefetch_found *f, bool one, int stride, int other);

#endif
