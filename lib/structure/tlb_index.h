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
 * Lists pages by the hypothesis, all of them in one set of the first level, whose sets the lowest `first_level_bits`
 * bits choose: TLB_INDEX_PAGES in the second-level set of page `first`, and others that also differ from it in the
 * lowest bits behind those, since every index function uses them. False: there are not enough such pages.
 */
bool tlb_index_list(struct tlb_index *h, unsigned first_level_bits, size_t first);
/*
 * The chase over `count` pages of the set, and then over the others, so that no page of the set is still in the first
 * level when its turn comes again.
 */
bool tlb_index_kernel(struct probe *p, const struct tlb_index *h, size_t count, struct kernel *k);
/*
 * How many bits choose the set if this hypothesis shows `ways`. One slice may have more bits than there are sets for,
 * where the index is another function of them: resident[b] is how many pages one slice of b bits shows, NaN where it
 * shows none. With each bit less that number doubles, unless the bit belongs to none of the functions. 0: the numbers
 * contradict each other.
 */
unsigned tlb_index_bits(const struct tlb_index *h, const double resident[TLB_INDEX_BITS_MOST + 1], double ways);
/* Writes the function: "VPN[6:0] ^ VPN[13:7]", or "8 functions of VPN[9:0]" if fewer bits choose the set. */
void tlb_index_text(const struct tlb_index *h, unsigned index_bits, char text[TLB_INDEX_TEXT]);

#endif
