/*
 * Coalescing: how many neighbouring pages one entry of the first-level data TLB holds where their frames are
 * neighbours, too (docs/METHODS.md, 7.7).
 *
 * The chase over pages whose frames are in order is searched around the end of the first level. Pages that it holds
 * then, by those it holds when pages share frames, are the pages of an entry: a power of two.
 */
#ifndef FATHOM_LIB_STRUCTURE_TLB_COALESCING_H
#define FATHOM_LIB_STRUCTURE_TLB_COALESCING_H

#include "lib/kernels/pages.h"
#include "lib/probe/probe.h"
#include "lib/structure/tlb.h"

/*
 * Measures and reports how many pages of t->page_bytes an entry of the first-level data TLB holds. kind PAGES_IN_ORDER:
 * with frames in order, as memory.dtlb.coalescing; PAGES_CONTIGUOUS: with AArch64's contiguous hint besides, as
 * memory.dtlb.hint_pages. `first` is what was found of the first level with pages of the kind `shared`. Undecided, with
 * the reason, where the platform has no such pages or not enough of them, first->entries is not known, or the
 * measurement decides nothing. The probe must have no pages mapped. False: the probe has ended.
 */
bool tlb_coalescing(struct probe *p, const struct tlb *t, const struct tlb_first *first, enum pages_frames shared,
                    enum pages_frames kind);

#endif
