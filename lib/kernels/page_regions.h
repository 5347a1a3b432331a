/*
 * Page regions: a pointer chase over a fixed number of pages that are spread over more and more regions, each as
 * large as what one table of the last level translates (docs/METHODS.md, 7.11; van Schaik et al. 2017, Reverse
 * Engineering Hardware Page Table Caches).
 *
 * Pages come in bunches that share a line of such a table, so that as many lines of the tables are read whatever the
 * number of regions. The chase visits one page of each region in turn, in random order: once there are more regions
 * than a core keeps entries of the upper table, each page walk has to read one of these first.
 *
 * Pages are mapped to few frames. Frames come in groups: each has as many as a bunch has pages, and each bunch uses one
 * word in a line of each frame of its group. A region belongs to one group, and so do all bunches that may come to lie
 * in it, since the number of groups divides that of regions and of bunches. The area has only the pages that are used.
 */
#ifndef FATHOM_LIB_KERNELS_PAGE_REGIONS_H
#define FATHOM_LIB_KERNELS_PAGE_REGIONS_H

#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"

struct page_regions {
    struct pointer_chase chase; /* ring: the area; order: scratch for the pages in the order of the chase */
    size_t page_bytes, entries; /* of a page; of a table */
    size_t bunch;               /* pages in a bunch */
    size_t bunches, groups;
    size_t fewest, most;    /* numbers of regions that are possible, multiples of `groups`; fewest: full ones */
    size_t *frames;         /* scratch of page_regions_map */
    size_t *starts, *order; /* scratch, an element for each region */
    size_t mark;            /* machine_map_mark before the area was mapped */
};

/*
 * Chooses the numbers for at least `pages` pages of that size, in bunches of so many: whole groups, except under
 * profile smoke, which takes few bunches. Nothing is mapped.
 */
struct page_regions page_regions_of(const struct probe *p, size_t page_bytes, size_t bunch, double pages);
/*
 * Maps the area. Returns NULL, or a sentence why the platform cannot. Either way page_regions_unmap frees what there
 * is, and unmaps everything that was mapped later too.
 */
const char *page_regions_map(struct page_regions *r);
void page_regions_unmap(struct probe *p, struct page_regions *r);
/* The chase over so many regions. Units are loads. False: the probe has ended. */
bool page_regions_kernel(struct probe *p, const struct page_regions *r, size_t regions, struct kernel *k);

#endif
