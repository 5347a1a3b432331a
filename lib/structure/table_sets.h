/*
 * The sets of a conditional predictor's table: what of a history, and of a branch's address, chooses them.
 *
 * The search for ways (lib/structure/table_ways.h) leaves histories of which one more than the ways overflows a set. Of
 * these, half are changed: in further bits of the history, or by a branch at another address. If they still overflow, the
 * change leaves the set as it is; if they fit, they have another set.
 *
 * Branches at two addresses may be predicted by the other tables in different directions. So histories of either
 * direction have to share the set, while those of table_ways that go one way may lie in another set than those that go the
 * other. One further bit of the history, together with some of those that the set was found among, gives twice as many
 * that share a set, and half of these go each way.
 *
 * The index bits are counted without their functions. Some histories are known to lie in different sets, all sums of
 * which then do so, too: they are as many sets as there are sums. Each is half filled, and histories that differ from
 * those in one further bit, which fill the other half and one entry more. Where that bit leads out of these sets, all
 * fit, and it is one index bit more. Where it leads from one to the other, all overflow. When a number of bits in a row
 * have led nowhere new, the history reaches no more sets. Of addresses, some may be in index bits that have no history:
 * these are counted by which changes of the address lead to sets that no history leads to.
 *
 * Method: docs/METHODS.md, 5.23.
 */
#ifndef FATHOM_LIB_STRUCTURE_TABLE_SETS_H
#define FATHOM_LIB_STRUCTURE_TABLE_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/structure/table_ways.h"

enum { TABLE_ADDRESSES = 4 };

struct table_sets {
    const struct table_ways *ways;    /* its `bits` is not used */
    const struct table_overflow *set; /* that table_ways has found */
    unsigned bits;                    /* of histories, at most TABLE_ALL_BITS */
    /* Chooses the bits in which the other branch's address differs. */
    void (*choose)(void *context, uint64_t difference);
    /* What table_sets_start finds. */
    uint32_t alike[TABLE_BITS_MOST]; /* all sums of these share a set */
    unsigned alike_count;
    uint32_t apart[TABLE_ALL_BITS]; /* all sums of these have sets of their own */
    unsigned apart_count;
    unsigned next; /* bit of the history that has not been used */
};

/* Finds histories of both directions that share a set; *reason says why there are none. False: the probe is over. */
bool table_sets_start(struct table_sets *s, enum reason *reason);

/*
 * Whether histories changed so (bits of which the set was not found among, or TABLE_OTHER) keep their set; *clear false:
 * no answer is clear. False: the probe is over.
 */
bool table_sets_keep(struct table_sets *s, uint32_t change, bool *keep, bool *clear);
/*
 * Counts the index bits, of history and address. `addresses` are `count` bits of addresses that change the set, each in
 * another way; with more than TABLE_ADDRESSES it is not decided. *reason says why *bits is not known. False: the probe is
 * over.
 */
bool table_sets_count(struct table_sets *s, const uint64_t *addresses, unsigned count, unsigned *bits,
                      enum reason *reason);

#endif
