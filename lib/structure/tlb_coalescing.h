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
 * Reports memory.dtlb.coalescing for PAGES_IN_ORDER, or memory.dtlb.hint_pages for PAGES_CONTIGUOUS, of the pages of
 * `t`; undecided, with a reason, where the platform has no such pages. `first` is what pages of kind `shared` showed
 * of the first level. No pages may be mapped. False: the probe has ended.
 */
bool tlb_coalescing(struct probe *p, const struct tlb *t, const struct tlb_first *first, enum pages_frames shared,
                    enum pages_frames kind);

#endif
