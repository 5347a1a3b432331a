/*
 * Places: an entry of some reorder buffers holds several instructions, but of accesses to memory only one, and of
 * branches. Where among the others may it stand?
 *
 *   alone     one of them, and k times as many NOPs as an entry holds. Where it may stand anywhere, all entries are
 *             full; where it must be the first or the last, it leaves one NOP in k + 1 that has an entry to itself
 *   together  an access, NOPs and a branch, so many that they fill k entries: they do where the access must be the
 *             first and the branch the last. And an access, a branch and as many NOPs, which do so the other way round
 *
 * How many instructions are in flight at most, between two misses, tells which; two k must say the same. First and last
 * cannot be told from each other but by both kinds together.
 *
 * The rule: Johnson 2021, Firestorm, "probably the first and last respectively"; the experiment is ours.
 */
#ifndef FATHOM_LIB_KERNELS_PLACES_H
#define FATHOM_LIB_KERNELS_PLACES_H

#include "lib/kernels/lookahead.h"

/* "anywhere", "first or last", "first", "last"; NULL: not told. */
struct places {
    const char *accesses, *branches;
};

/* There are so many entries of so many instructions. False: the probe is over. */
bool places_find(struct probe *p, const struct lookahead *with, double entries, unsigned per_entry, struct places *out);

#endif
