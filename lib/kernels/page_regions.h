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
 * Returns the numbers of bunches, groups and regions for a chase over at least `pages` pages of page_bytes, a multiple
 * of 2048, in bunches of `bunch` pages; the profile smoke takes few bunches. Nothing is mapped yet.
 */
struct page_regions page_regions_of(const struct probe *p, size_t page_bytes, size_t bunch, double pages);
/*
 * Maps the area of the regions and allocates its scratch. Returns NULL, or a sentence why the platform cannot. In
 * either case page_regions_unmap must follow, which also unmaps everything that was mapped later.
 */
const char *page_regions_map(struct page_regions *r);
void page_regions_unmap(struct probe *p, struct page_regions *r);
/*
 * Makes the kernel of the chase over `regions` regions, from r->fewest to r->most and a multiple of r->groups. Its unit
 * is a load. False: the probe has ended.
 */
bool page_regions_kernel(struct probe *p, const struct page_regions *r, size_t regions, struct kernel *k);

#endif
