/*
 * Pages: pointer chases that load once from each page, so that what a load takes tells how its page was translated.
 *
 * Pages have numbers; every `spacing`-th one belongs to the ring, and of these each holds its pointer on another line than
 * the one before: so caches are filled evenly (methods 4a; jiegec/cpu-micro-benchmarks, dtlb_size). The order is random
 * (Sattolo's cycle) and another one each time.
 *
 * What lies behind the pages differs in what it asks of caches:
 *
 *   shared lines   eight pages to a line, all on few frames: no cache is full before a TLB is. A way predictor that goes by
 *                  the virtual address may take them for strangers (Lipp 2020, Take A Way)
 *   own lines      one page to a line, 64 and more to a frame: as many lines as pages
 *   shuffled       each page its own frame, in random order
 *   in order       each page its own frame, next to each other: what keeps neighbours in one entry holds more
 *   with the hint  the same with AArch64's contiguous hint: what keeps groups of pages in one entry need not look
 *   in blocks      512 frames again and again: hundreds of thousands of pages, of which only few are used
 *
 * The control walks as many lines in the same order on as few pages as have them: what caches make of it.
 */
#ifndef FATHOM_LIB_KERNELS_PAGES_H
#define FATHOM_LIB_KERNELS_PAGES_H

#include "lib/kernels/chase.h"

enum pages_frames {
    PAGES_SHARED_LINES,
    PAGES_OWN_LINES,
    PAGES_SHUFFLED,
    PAGES_IN_ORDER,
    PAGES_CONTIGUOUS,
    PAGES_IN_BLOCKS
};

struct pages {
    enum pages_frames kind;
    size_t page_bytes, count; /* how many there are */
    size_t orders;            /* of a ring, one after the other; 1, but up to 8 where a line belongs to one page */
    struct chase chase;       /* ring: the pages */
    struct chase packed;      /* the control's lines; PAGES_IN_BLOCKS has none */
    size_t *frames;           /* of the pages */
    size_t mark;              /* of what was mapped before */
};

/* Entries of a table that has pages of this size or, of larger ones, tables in their place; its granule's. */
size_t pages_table_entries(size_t page_bytes);
/* Bytes of frames that so many pages take. */
size_t pages_frame_bytes(size_t count, size_t page_bytes, enum pages_frames kind);
/*
 * Maps so many pages. NULL, or why the place has them not: then nothing stays mapped. No code of the probe may be mapped
 * before, since on AArch64 a window has one granule.
 */
const char *pages_map(struct probe *p, struct pages *r, size_t count, size_t page_bytes, enum pages_frames kind);
/* Gives them back, and with them all that was mapped after, the probe's code too. */
void pages_unmap(struct probe *p, struct pages *r);
/* The address of what page `page` holds as the i-th of a ring. */
uintptr_t pages_at(const struct pages *r, size_t page, size_t i);
/* The kernel that walks `count` pages, `spacing` apart. Units are loads. */
bool pages_kernel(struct probe *p, const struct pages *r, size_t count, size_t spacing, struct kernel *k);
/*
 * The same with pages of one's choice, and of the first `split` of them each order goes through all before it goes to the
 * rest. Of PAGES_IN_BLOCKS there may be as many as a page has lines.
 */
bool pages_kernel_of(struct probe *p, const struct pages *r, const size_t *list, size_t count, size_t split,
                     struct kernel *k);
/*
 * The walk of pages that are neighbours with an access beside each load that waits for nothing: to these addresses, one
 * after the other, as often as there are loads in an iteration. What the accesses take of a TLB is lost to the walk.
 */
bool pages_beside(struct probe *p, const struct pages *r, size_t count, const uintptr_t *addresses, size_t accesses,
                  bool stores, struct kernel *k);
/* The control of pages that are neighbours. */
bool pages_control(struct probe *p, const struct pages *r, size_t count, struct kernel *k);

#endif
