/*
 * Address pairs: two addresses that differ in chosen bits and are mapped to one frame, or to two, loaded in turn
 * (docs/METHODS.md, 7.21).
 *
 * The memory is a long sequence of pages on few frames: mostly runs of frames in order, each from a random frame on,
 * and at regular distances a run of pages that are all mapped to one frame. So for most differences of
 * addresses there are pages that share a frame, and pages that do not.
 *
 * A chain of dependent loads alternates between the two lines, each time by another of the words in them, in random
 * order: a word holds what the address is to be XORed with. No load sees the same address or the same value twice in
 * a row, so that predicted loads hide nothing.
 */
#ifndef FATHOM_LIB_KERNELS_ADDRESS_PAIRS_H
#define FATHOM_LIB_KERNELS_ADDRESS_PAIRS_H

#include "lib/probe/probe.h"

/* An address, many others, and bits that the two of a pair may differ in. */
struct address_pairs_far {
    struct area area; /* bytes 0: none is mapped */
    struct page_frame *list;
    uint64_t base; /* bytes from the area's beginning to the address that is part of all pairs */
    bool one_frame;
    size_t mark;
};

struct address_pairs {
    struct area area, start, order;
    struct address_pairs_far far;
    size_t *frames; /* the frame of each page of the area */
    uint64_t bits;  /* address bits that can be chosen */
    uintptr_t from; /* the first address with all these bits 0 */
    struct kernel kernel;
};

/*
 * Maps `pages` pages, a power of two, of which address_pairs_find uses an aligned half, in runs of which every
 * single_every-th one has all its pages on one frame, and emits the kernel. False: the probe has ended.
 */
bool address_pairs_map(struct probe *p, struct address_pairs *a, size_t pages, size_t single_every);
/*
 * Finds two addresses whose XOR is `difference`, on the same frame if one_frame, else on two frames. The search begins
 * at the address a->from + base and goes on at random ones; `base` and `difference` have only bits of a->bits. False:
 * none were found, and the probe has ended.
 */
bool address_pairs_find(struct probe *p, const struct address_pairs *a, uint64_t base, uint64_t difference,
                        bool one_frame, uintptr_t *one, uintptr_t *other);
/*
 * Maps, beside all that, an address and for each of these differences, multiples of the page size below 2^bits, the
 * address that differs from it by that: all of them on one frame if one_frame, else that one on a frame of its own.
 * From then on address_pairs_find finds these pairs alone, whatever `base` is, until address_pairs_unmap_far. NULL, or
 * why it cannot.
 */
const char *address_pairs_map_far(struct probe *p, struct address_pairs *a, const uint64_t *differences, size_t count,
                                  unsigned bits, bool one_frame);
void address_pairs_unmap_far(struct address_pairs *a);
/*
 * Measures the cycles of a step of the chain that loads from both addresses in turn: one load, and the XOR that makes
 * the next address. *cycles is NaN where no reading was accepted. False: the probe has ended.
 */
bool address_pairs_measure(struct probe *p, const struct address_pairs *a, uintptr_t one, uintptr_t other,
                           double *cycles);

#endif
