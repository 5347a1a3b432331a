/*
 * Page chases: sweeps of a pointer chase over a growing number of pages, the experiments on data TLBs and page walks
 * (docs/METHODS.md, 7.7 and 7.11).
 */
#ifndef FATHOM_LIB_STRUCTURE_PAGE_CHASE_H
#define FATHOM_LIB_STRUCTURE_PAGE_CHASE_H

#include "lib/kernels/pages.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"

enum { PAGE_CHASE_KINDS = PAGES_CONTIGUOUS + 1 };

/* Name and confounder of the experiment on each kind of frames, up to PAGES_CONTIGUOUS. */
struct page_chase_kind {
    const char *name, *confounder;
};
extern const struct page_chase_kind page_chase_kinds[PAGE_CHASE_KINDS];

struct page_chase {
    const struct pages *pages;
    size_t stride; /* pages from one page of the chase to the next */
};

/*
 * Returns the sweep of a chase over a growing number of pages of *c, y in cycles per load. Its control is
 * page_chase_control, but for pages whose lines are shared, which need none. The caller sets the sweep's search and
 * seconds; *c must outlive the sweep.
 */
struct sweep page_chase_sweep(const char *name, struct page_chase *c);
/*
 * The control of a sweep over pages, whose context is a struct page_chase: makes the kernel that walks as many lines on
 * as few pages as have room for them, so that what differs is due to TLBs. False: the probe is over.
 */
bool page_chase_control(struct probe *p, double pages, void *context, struct kernel *k);

#endif
