/*
 * What a prefetcher of sequences, the kinds stride and stream, does at the end of a page. lib/structure/
 * prefetch_kinds.h has the terms.
 */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_PAGES_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_PAGES_H

#include "lib/structure/prefetch_kinds.h"

/*
 * Finds the traits PREFETCH_PAGE_BORDER, PREFETCH_PAGE_ORDER and PREFETCH_LARGE_ORDER of *f, whose training is known,
 * f->stride above 0; one: sequences are of one load instruction. The first is of the ends of 4 KiB within large pages,
 * where there are any. The others are of the ends of pages, of the smallest size and of that of these large ones, whose
 * frames follow each other in another order. False: the probe has ended.
 */
bool prefetch_find_pages(struct prefetch_kinds *k, struct prefetch_found *f, bool one);

#endif
