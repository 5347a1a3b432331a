/*
 * What a branch target buffer holds of a row of branches that goes round and round: the hits, counted set by set.
 *
 * A set that is asked for no more entries than it has ways hits with all of its branches, whatever it replaces: nothing
 * is. Past that the order of replacement matters. Least recently used is the worst there is for cyclic order: a set that
 * is asked for one entry more than it has ways never holds the one that is asked for next, and hits with none of its
 * branches. Others hit with some of them; with w of n at most, since at best w stay and the others pass by (Belady 1966,
 * A Study of Replacement Algorithms for a Virtual-Storage Computer).
 *
 * How many entries each set gets: index bits are linear in address bits over GF(2), and entries are 2^p bytes apart.
 * The addresses of an aligned stretch of 2^k entries are a coset of the subspace of k bits; the index maps it onto a
 * coset of the image of that, each set of it 2^(k - rank) times. A row is one such stretch for each bit of its length.
 * Images are nested: what larger stretches put into the sets of a smaller one is the same in each. So stretches are
 * looked at, and no set by itself.
 */
#ifndef FATHOM_LIB_FIT_BTB_ROW_H
#define FATHOM_LIB_FIT_BTB_ROW_H

#include <stdbool.h>

/* As the variant `branch` of findings; the first type is the row's first branch, at its lowest address. */
enum btb_pattern { BTB_UNCOND, BTB_COND, BTB_COND_UNCOND, BTB_UNCOND_COND, BTB_PATTERNS };
/* "uncond", "cond", "cond-uncond", "uncond-cond" */
extern const char *const btb_pattern_names[BTB_PATTERNS];

/*
 * `count` branches, an even number, the one that closes the row among them, `stride` bytes apart, a power of two. The
 * row starts at a multiple of its length, rounded up to a power of two.
 */
struct btb_row {
    enum btb_pattern pattern;
    unsigned stride, count;
};

/*
 * Which branches share an entry. Blocks: Perais and Sheikh 2023, Branch Target Buffer Organizations. Pairs: AMD 57647,
 * Software Optimization Guide for Zen 4, on the branch target buffer; of Neoverse V1: jia.je 2025.
 */
enum btb_entry {
    BTB_SINGLE,      /* none */
    BTB_BLOCK,       /* up to per_entry of one aligned block of 2^low bytes */
    BTB_COND_FIRST,  /* a conditional one and the next, both in one aligned line of 64 bytes */
    BTB_UNCOND_NEXT, /* any and the one at its target, if that is unconditional */
    BTB_ANY_NEXT,    /* any and the one at its target */
    BTB_ENTRIES
};
/* "single", "block", "cond-first", "uncond-next", "any-next" */
extern const char *const btb_entry_names[BTB_ENTRIES];

/* How the set is chosen: set_bits bits of the address of an entry's first branch, from bit `low` on. */
struct btb_index {
    unsigned low, set_bits;
    bool folded; /* XOR with as many bits above them */
};

enum { BTB_WAYS = 16, BTB_LOW_MOST = 8, BTB_SET_BITS_MOST = 13, BTB_COUNT_MOST = 1 << 17, BTB_STRIDE_MOST = 1 << 16 };

/* Whether it is a row as above. */
bool btb_row_good(const struct btb_row *row);
/*
 * held[w]: how many of the row's branches are in sets that are asked for w entries at most; most[w]: with as many of the
 * others as w ways hold at best, whatever is replaced; NULL: nobody asks. per_entry: of BTB_BLOCK.
 */
void btb_row_held(const struct btb_index *index, enum btb_entry entry, unsigned per_entry, const struct btb_row *row,
                  unsigned held[BTB_WAYS + 1], double most[BTB_WAYS + 1]);
/* Entries that all of the row needs. */
unsigned btb_row_entries(enum btb_entry entry, const struct btb_row *row);
/* The rule does not join any branches of this row: it is as if entries were single. */
bool btb_row_single(const struct btb_index *index, enum btb_entry entry, const struct btb_row *row);

#endif
