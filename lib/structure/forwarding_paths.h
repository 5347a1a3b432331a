/*
 * Paths of forwarding: how the value of a store reaches a load, decided from the cycles of many pairs of a store and a
 * load (lib/kernels/store_load.h) by sorting them into clusters.
 *
 * Method: docs/METHODS.md, 4.16.
 */
#ifndef FATHOM_LIB_STRUCTURE_FORWARDING_PATHS_H
#define FATHOM_LIB_STRUCTURE_FORWARDING_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/clusters.h"

/*
 * How the value of a store can reach a load, fastest first. RENAMED: it never left the registers, or was predicted.
 * FORWARDED: by the fastest class of forwarding. SLOW: forwarded, but slower by less than the time of a load. BLOCKED:
 * the load waits until the store is in the cache and reads it from there, at least the time of a load more than
 * FORWARDED. UNKNOWN: these cycles are in no cluster.
 */
enum forwarding_path { PATH_RENAMED, PATH_FORWARDED, PATH_SLOW, PATH_BLOCKED, PATH_UNKNOWN };

struct forwarding_paths {
    double extra;             /* cycles a pair of the arithmetic in the chain */
    double load;              /* cycles of a load from the cache */
    struct clusters clusters; /* of the cycles of all pairs, arithmetic included */
    size_t forwarded;         /* index of the fastest cluster that is not renamed; clusters.count where there is none */
    size_t blocked;           /* index of the fastest cluster that is blocked, likewise */
};

/*
 * Sorts cycles a pair, in ascending order, into clusters, and decides which of them are forwarded and blocked. `extra`
 * and `load` are inputs (forwarding_references). False, with no clusters, where the cycles form none or `load` is not
 * known.
 */
bool forwarding_paths_decide(struct forwarding_paths *w, const double *sorted, size_t count);
/* The path of a pair that takes so many cycles, arithmetic included. */
enum forwarding_path forwarding_path_of(const struct forwarding_paths *w, double cycles);

#endif
