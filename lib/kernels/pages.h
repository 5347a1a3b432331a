/*
 * Pages: pointer chases and stores that use one word of each page, so that the time of an access shows how the page was
 * translated (docs/METHODS.md, 7.7; the page tables are described in 4.22).
 *
 * Pages have numbers. Every `stride`-th one belongs to the ring. Its order is drawn anew for each kernel: random within
 * groups of 512 pages (Sattolo's cycle), or, of pages in order or contiguous, random but with neighbours far apart.
 * Each page of the ring holds its pointer on another line than the one before by number, so that all sets of a cache
 * are used evenly (jiegec/cpu-micro-benchmarks, dtlb_size).
 *
 * The kinds differ in the frames that the pages are mapped to, and so in the number of lines that caches have to hold:
 *
 *   shared lines   eight pages to a line, all on few frames: no cache is full before a first-level TLB is, and few are
 *                  before a second-level one. A way predictor that uses a hash of the virtual address may take them for
 *                  different lines (Lipp 2020, Take A Way)
 *   own lines      one page to a line, 64 pages and more to a frame: as many lines as pages
 *   shuffled       each page its own frame, in random order
 *   in order       each page its own frame, next to each other where the platform can choose: a TLB that keeps
 *                  neighbours in one entry holds more pages
 *   contiguous     as in order, with AArch64's contiguous hint: a TLB need not check that neighbours fit one entry
 *   in blocks      512 frames again and again: hundreds of thousands of pages, of which only few are used
 *
 * The control walks as many lines, in an order drawn likewise, on as few pages as have room for them: the time that
 * caches take.
 */
#ifndef FATHOM_LIB_KERNELS_PAGES_H
#define FATHOM_LIB_KERNELS_PAGES_H

#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"

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
    size_t page_bytes, count;    /* of each page; number of pages */
    size_t orders;               /* of the ring, used in turn: 1, or up to 8 where a line belongs to one page */
    struct pointer_chase chase;  /* its ring: the pages */
    struct pointer_chase packed; /* the control's lines; PAGES_IN_BLOCKS has none */
    size_t *frames;              /* number of each page's frame */
    size_t mark;                 /* machine_map_mark before the pages were mapped */
};

/* How many entries the translation table has in which each entry maps a page of this size. */
size_t pages_table_entries(size_t page_bytes);
/* Bytes of frames that so many pages take. */
size_t pages_frame_bytes(size_t count, size_t page_bytes, enum pages_frames kind);
/*
 * Maps `count` pages of that size and kind. Returns NULL, or a sentence why the platform cannot; then nothing stays
 * mapped, else pages_unmap must follow. The probe must have no code mapped yet: on AArch64 a window has one translation
 * granule, which these pages choose.
 */
const char *pages_map(struct probe *p, struct pages *r, size_t count, size_t page_bytes, enum pages_frames kind);
/* Unmaps the pages, and with them everything that was mapped later, the probe's code area too. */
void pages_unmap(struct probe *p, struct pages *r);
/* The address of the word that page number `page` holds as the i-th page of a ring. */
uintptr_t pages_at(const struct pages *r, size_t page, size_t i);

/*
 * Makes the kernel of a pointer chase over `count` pages, each `stride` pages from the one before. Its unit is a load.
 * This and the next three set the entry, data, units and warm-up of *k; its other members stay. False: the probe has
 * ended.
 */
bool pages_kernel(struct probe *p, const struct pages *r, size_t count, size_t stride, struct kernel *k);
/*
 * Makes the kernel of a pointer chase over the pages whose `count` numbers are in `list`; each of its orders visits the
 * first `split` of them before the others. Not for PAGES_IN_ORDER and PAGES_CONTIGUOUS. Of PAGES_IN_BLOCKS count may be
 * as large as a page has lines. Its unit is a load. False: the probe has ended.
 */
bool pages_kernel_of(struct probe *p, const struct pages *r, const size_t *list, size_t count, size_t split,
                     struct kernel *k);
/*
 * Makes the kernel of a pointer chase over `count` neighbouring pages, with an access before each of its loads that
 * waits for none: a load, or a store where `stores`, from addresses[0 … accesses - 1] in turn, each at least once in an
 * iteration. TLB entries that these accesses take are not available to the chase. Its unit is a load of the chase.
 * False: the probe has ended.
 */
bool pages_beside(struct probe *p, const struct pages *r, size_t count, const uintptr_t *addresses, size_t accesses,
                  bool stores, struct kernel *k);
/*
 * Makes the kernel of the control of a chase over `count` neighbouring pages: as many lines on as few pages as have
 * room for them. Not for PAGES_IN_BLOCKS. Its unit is a load. False: the probe has ended.
 */
bool pages_control(struct probe *p, const struct pages *r, size_t count, struct kernel *k);

/*
 * How stores to pages are kept in order. A store waits for its translation, but nothing waits for a store, so a fence
 * follows each. FENCE_INSTRUCTIONS lets later instructions begin as soon as it is certain that the store will be done,
 * FENCE_MEMORY when it has been done.
 */
struct pages_stores {
    enum fence fence;
    size_t orders; /* in which pages are visited in turn, in one iteration; simulated cores: two at most; smoke: one */
    bool one_page; /* a control: all stores go to the lines of the first page */
};
/*
 * Makes the kernel of straight code with a store to each of `count` neighbouring pages and no load. With several orders
 * (s->orders) a tree-PLRU policy does not keep useless entries for ever, as it may where one order is repeated (Berg
 * 2006, PLRU Cache Domino Effects). Its unit is a store. False: the probe has ended.
 */
bool pages_stores_kernel(struct probe *p, const struct pages *r, size_t count, const struct pages_stores *s,
                         struct kernel *k);

#endif
