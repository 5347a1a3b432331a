/*
 * Positions within an entry of the reorder buffer (docs/METHODS.md, 4.15): an entry of some reorder buffers holds
 * several instructions, but only one memory access, and only one branch. Which of the positions in the entry may that
 * one take?
 *
 *   alone     one access (or branch), then 2k or 3k NOPs, where an entry holds k instructions. If it may take any
 *             position, all entries are full; if it must be the first or the last, one NOP in 2k + 1 is left over in an
 *             entry of its own
 *   together  an access, NOPs and a branch that fill whole entries: they are full if the access must be first and the
 *             branch last. And an access, a branch and NOPs: they are full if it is the other way round
 *
 * The number of instructions in flight between two misses shows which it is; both numbers of NOPs must say the same.
 * First and last can be distinguished only by accesses and branches together.
 *
 * The rule: Johnson 2021, Firestorm, "probably the first and last respectively"; the experiment is ours.
 */
#ifndef FATHOM_LIB_STRUCTURE_ENTRY_POSITIONS_H
#define FATHOM_LIB_STRUCTURE_ENTRY_POSITIONS_H

#include "lib/probe/probe.h"
#include "lib/structure/inflight.h"

/* "anywhere", "first or last", "first" or "last"; NULL: not decided. */
struct entry_positions {
    const char *accesses, *branches;
};

/*
 * Finds which positions a memory access, and a branch, may take in an entry, on a reorder buffer of `entries` entries
 * of `per_entry` instructions each, and stores that in *out. With fewer than three instructions to an entry nothing is
 * measured or decided. False: the probe is over.
 */
bool entry_positions_find(struct probe *p, const struct inflight *l, double entries, unsigned per_entry,
                          struct entry_positions *out);

#endif
