/*
 * Page crossing: a loop whose first instruction is the last one of a page, and whose others begin the next page. A
 * fetch that cannot span two pages, since it would need two translations, takes a cycle for that one instruction, and
 * then one for as many as fit a fetch.
 *
 * More such cycles may come first in each iteration: pairs of pages with one instruction on the first page and a jump
 * to the next pair on the second. For comparison, the same loop within one page, from the beginning of a line on.
 * Where instructions have many lengths its first one is the last of a line instead, since crossing from one line to the
 * next costs something by itself.
 *
 * Method: docs/METHODS.md, 5.3.
 */
#ifndef FATHOM_LIB_KERNELS_PAGE_CROSSING_H
#define FATHOM_LIB_KERNELS_PAGE_CROSSING_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/probe/probe.h"

enum {
    /*
     * Most pairs of pages that come before the loop's own in an iteration. Chosen: the lines of all these pairs may
     * fall into one set of the instruction cache, and even four ways then hold them and those of the loop.
     */
    PAGE_CROSSING_LEADS = 3,
    PAGE_CROSSING_PAGES = 2 * (PAGE_CROSSING_LEADS + 1),
    PAGE_CROSSING_OTHERS = 3 /* instructions of the loop beside its NOPs: the first one, and two at its end */
};

struct page_crossing {
    unsigned leads; /* pairs of pages that come first */
    bool aligned;   /* all within one page */
    size_t page_bytes;
};

/*
 * Makes the kernel in the probe's code area, which must have PAGE_CROSSING_PAGES pages of x->page_bytes.
 * `instructions`, at least PAGE_CROSSING_OTHERS, are those of the loop without the pairs of pages that come first;
 * where x->aligned, NOPs in the loop stand for the instructions of those. The unit is an iteration. False: the probe
 * has ended.
 */
bool page_crossing_build(struct probe *p, const struct page_crossing *x, size_t instructions, struct kernel *k);

#endif
