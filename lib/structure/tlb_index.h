/*
 * Index functions of a TLB: hypotheses on which pages share a set, and the bits that follow from what they show
 * (docs/METHODS.md, 7.9).
 *
 * A hypothesis takes the page number in slices of s bits, from the lowest bit on: one slice chooses the set by the
 * lowest s bits; two slices by the exclusive or of these and the next s bits; and so on.
 *
 * Method: Tatar et al. 2022, TLB;DR, and Gras et al. 2018, TLBleed: their hypotheses.
 */
#ifndef FATHOM_LIB_STRUCTURE_TLB_INDEX_H
#define FATHOM_LIB_STRUCTURE_TLB_INDEX_H

#include "lib/kernels/pages.h"
#include "lib/probe/probe.h"

enum {
    TLB_INDEX_BITS_LEAST = 5,
    TLB_INDEX_BITS_MOST = 12,
    TLB_INDEX_SLICES = 3,
    TLB_INDEX_PAGES = 40,   /* in one set: more than any set has ways */
    TLB_INDEX_OTHERS = 192, /* in other sets, at most */
    TLB_INDEX_TEXT = 64
};

struct tlb_index {
    const struct pages *pages;
    unsigned slices, bits; /* of the hypothesis; bits of each slice */
    size_t others;         /* pages of other sets that are wanted */
    /* First the pages of one set, then the others. */
    size_t list[TLB_INDEX_PAGES + TLB_INDEX_OTHERS];
};

/*
 * Fills h->list by the hypothesis (h->slices and h->bits): first TLB_INDEX_PAGES pages in the same second-level set as
 * page number `first` of h->pages, then h->others pages in other sets. All are in one set of the first-level TLB, which
 * the lowest first_level_bits bits of the page number choose. The others differ from `first` in the
 * TLB_INDEX_BITS_LEAST bits next to those, too, which any index function uses. False: there are not enough such pages.
 */
bool tlb_index_list(struct tlb_index *h, unsigned first_level_bits, size_t first);
/*
 * Makes the kernel of a pointer chase over the first `count` pages of h->list, and then over the pages of other sets,
 * so that no page of the set is still in the first-level TLB when its turn comes again. False: the probe is over.
 */
bool tlb_index_kernel(struct probe *p, const struct tlb_index *h, size_t count, struct kernel *k);
/*
 * Returns how many index bits there are if `ways` pages of a set are held under this hypothesis. With several slices
 * these are h->bits. One slice may be wider than the index, where the index is another function of its bits:
 * resident[b] is how many pages are held that agree in the lowest b bits, NaN where that is not known. That number
 * doubles with each bit less, unless the function does not depend on the bit. With more bits than h->bits it is no
 * greater, since pages that agree in these agree in h->bits as well. 0: the numbers contradict that.
 */
unsigned tlb_index_bits(const struct tlb_index *h, const double resident[TLB_INDEX_BITS_MOST + 1], double ways);
/* Writes the function: "VPN[6:0] ^ VPN[13:7]", or "8 functions of VPN[9:0]" if fewer bits choose the set. */
void tlb_index_text(const struct tlb_index *h, unsigned index_bits, char text[TLB_INDEX_TEXT]);

#endif
