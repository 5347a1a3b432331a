/*
 * Branch sequences, and which part of one a branch target buffer level of given sets, ways and index bits holds.
 *
 * A branch sequence is a number of taken branches at equal distances that are executed again and again in cyclic order.
 * The entries that each set has to hold are counted; no access is simulated:
 *
 *   A set with no more entries than ways always hits, whatever its replacement policy.
 *   A set with more entries than ways always misses under LRU replacement, because in cyclic order the entry that is
 *   needed next is the one that was replaced. Other policies hit with some entries; of n entries at most as many as
 *   there are ways (Belady 1966, A Study of Replacement Algorithms for a Virtual-Storage Computer).
 *
 * How many entries each set gets: index bits are linear in address bits over GF(2), and entries are 2^p bytes apart.
 * The addresses of an aligned run of 2^k entries are a coset of the subspace of k bits. The index maps it onto a coset
 * of the image of that subspace, and each set of the image gets 2^(k - rank) entries. A sequence consists of one
 * aligned run for each bit of its length. The images of longer runs contain those of shorter ones, so all sets that a
 * short run reaches get equally many entries from each longer run. The cost is that of a few runs, not of all sets.
 *
 * Method: docs/METHODS.md, 4.7.
 */
#ifndef FATHOM_LIB_STRUCTURE_BTB_SEQUENCE_H
#define FATHOM_LIB_STRUCTURE_BTB_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/kernels/branch_chain_pattern.h"

/*
 * A sequence of branches, executed again and again. `count` is the number of branches, even but for chains, and
 * includes the one that leads back to the first; `stride` is the distance of two neighbours in bytes, a power of two.
 * The sequence starts at an address that is a multiple of count * stride, rounded up to a power of two.
 *
 * Among few branches the one that leads back matters. With `last_at` it is as in a branch chain: unconditional, in a
 * page that has none of the others, which end where that page begins, and executed first. The pattern is then not a
 * mixed one. Addresses are inverted, so that the others begin at 0, at the one that is executed last: an index is
 * linear, and does not mind.
 */
struct btb_sequence {
    enum branch_chain_pattern pattern;
    unsigned stride, count;
    int last_at; /* address of the last branch, negative; 0: it is like all others */
};

/*
 * Which branches share an entry. Blocks: Perais and Sheikh 2023, Branch Target Buffer Organizations. Pairs: AMD 57647,
 * Software Optimization Guide for Zen 4, section on the branch target buffer; of Neoverse V1: jia.je 2025.
 */
enum btb_entry {
    BTB_SINGLE,      /* each branch has an entry of its own */
    BTB_BLOCK,       /* up to per_entry branches of one aligned block of 2^low bytes */
    BTB_COND_FIRST,  /* a conditional branch and the next branch, if both are in one aligned line of 64 bytes */
    BTB_UNCOND_NEXT, /* a branch and the one at its target, if the latter is unconditional */
    BTB_ANY_NEXT,    /* a branch and the one at its target */
    BTB_ENTRIES
};
/* "single", "block", "cond-first", "uncond-next", "any-next" */
extern const char *const btb_entry_names[BTB_ENTRIES];

/* The set is chosen by set_bits bits, from bit `low` on, of the address of an entry's first branch. */
struct btb_index {
    unsigned low, set_bits;
    bool folded; /* those bits are XORed with as many bits above them */
};

enum { BTB_WAYS = 16, BTB_LOW_MOST = 8, BTB_SET_BITS_MOST = 13, BTB_COUNT_MOST = 1 << 17, BTB_STRIDE_MOST = 1 << 16 };

/*
 * Struct btb_part is the part of a sequence's branches that hit in a level, as a range, since it may depend on the
 * replacement policy. BTB_WHOLE stands for all of them, 0 for none.
 */
enum { BTB_WHOLE = UINT16_MAX };
struct btb_part {
    uint16_t least, most;
};

/* Whether the fields are as the comment of the struct and the limits above say, with at least two branches. */
bool btb_sequence_valid(const struct btb_sequence *sequence);
/*
 * Computes how many branches of a sequence hit in a level with this index and kind of entry, for each number of ways w
 * up to BTB_WAYS. resident[w], w from 0: the branches in sets that get at most w entries, which hit whatever is
 * replaced. most[w], w from 1: the most branches that can hit under any replacement policy; `most` may be NULL.
 * per_entry: branches of an entry, for BTB_BLOCK only.
 */
void btb_sequence_resident(const struct btb_index *index, enum btb_entry entry, unsigned per_entry,
                           const struct btb_sequence *sequence, unsigned resident[BTB_WAYS + 1],
                           double most[BTB_WAYS + 1]);
/*
 * Returns how many entries of this kind the whole sequence needs. BTB_BLOCK counts as BTB_SINGLE here, since the size
 * of a block is part of an index, which is not given.
 */
unsigned btb_sequence_entries(enum btb_entry entry, const struct btb_sequence *sequence);
/* Whether no two branches of this sequence share an entry of this kind, so that it behaves as BTB_SINGLE. */
bool btb_sequence_single(const struct btb_index *index, enum btb_entry entry, const struct btb_sequence *sequence);

#endif
