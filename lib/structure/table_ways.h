/*
 * The ways of a table of a conditional predictor: how many histories of one set are predicted together, each of which
 * needs an entry of the table (lib/kernels/table_set.h).
 *
 * A history is chosen by bits; bit 0 is also the direction of the branch that is predicted. All histories look alike to
 * the other tables. Where the table has no entry, one of these predicts the branch, always in the same direction, so that
 * only histories of the other direction need entries. In the lists that are tried, both directions are equally frequent.
 *
 * Where the table's index is an exclusive or of bits of the history, sums of certain combinations of bits, a subspace,
 * lie in one set. More and more bits are used until some histories are not predicted: then sets overflow. Of the
 * subspace, halves are kept in which sets still overflow, until there are none. Of what is left, as many histories of
 * either direction as are predicted together are the ways. One more of either are not, and all of these are when any
 * one of the direction that needs entries is left out: that holds only if these lie in one set, however the index is
 * made. Which direction that is depends on what was learned before, and both are tried.
 *
 * Method: docs/METHODS.md, 5.19. Minimal sets that overflow: Vila, Köpf and Morales 2019, there for caches.
 */
#ifndef FATHOM_LIB_STRUCTURE_TABLE_WAYS_H
#define FATHOM_LIB_STRUCTURE_TABLE_WAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/reason.h"

enum { TABLE_BITS_MOST = 14, TABLE_HISTORIES = 1 << TABLE_BITS_MOST };

#define TABLE_DIRECTION UINT32_C(1) /* the bit of a history that is the direction, too */

enum table_fit { TABLE_FITS, TABLE_OVERFLOWS, TABLE_PARTLY /* neither */ };

struct table_ways {
    unsigned bits;    /* of histories, at most TABLE_BITS_MOST */
    unsigned samples; /* at most */
    uint64_t *random;
    /*
     * A sample: is the branch predicted with histories drawn from this list, each equally often? False: the probe is
     * over.
     */
    bool (*sample)(void *context, const uint32_t *histories, unsigned count, enum table_fit *fit);
    void *context;
};

/*
 * The ways, in one layout; NaN where they are not decided, with the reason in *reason. False: the probe is over.
 */
bool table_ways(const struct table_ways *s, double *ways, enum reason *reason);

#endif
