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

enum { TABLE_BITS_MOST = 14, TABLE_HISTORIES = 1 << TABLE_BITS_MOST, TABLE_ALL_BITS = 24 };

#define TABLE_DIRECTION UINT32_C(1)       /* the bit of a history that is the direction, too */
#define TABLE_OTHER (UINT32_C(1) << 31)   /* of a history: executed with the branch at another address */
#define TABLE_AGAINST (UINT32_C(1) << 30) /* of a history: it goes in the other direction than the bit says */

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

/* Bearers that show, which bits of histories are given to in this order. */
struct table_bits {
    unsigned count;
    unsigned bearers[TABLE_ALL_BITS];
};

/*
 * Finds the bearers, of so many, that show: where one alone decides the direction, it is predicted. The sample must take
 * bit i of a history for bearer i, and TABLE_AGAINST. False: the probe is over.
 */
bool table_bits_find(const struct table_ways *s, unsigned bearers, struct table_bits *out);
/* A history whose bits are those of the bearers, from one whose bits are those that show; flags are kept. */
uint32_t table_bits_place(const struct table_bits *b, uint32_t history);

/* Histories that lie in one set, and what they were found with. */
struct table_overflow {
    uint32_t
        basis[TABLE_BITS_MOST]; /* all sums of these share a set; the first one alone has the bit of the direction */
    unsigned dimensions;
    unsigned used; /* bits of histories, from 0 on, that they were found among: no others of these share that set */
    unsigned ways;
};

/*
 * The ways, in one layout; NaN where they are not decided, with the reason in *reason. Where they are, *set is what lies
 * in one set. False: the probe is over.
 */
bool table_ways(const struct table_ways *s, double *ways, enum reason *reason, struct table_overflow *set);

#endif
