/*
 * Stores and loads that meet: a chain of pairs, each a store and a load of the bytes that it wrote, in which every pair
 * waits for the pair before it. What links two pairs:
 *
 *   data      the loaded value is what the next pair stores. The load's address is known long before, so the load may
 *             execute before the data that it needs are there
 *   load      the loaded value is part of the next load's address. The store has executed long before
 *   store     the loaded value is part of the next store's address. The load can execute before the core knows that it
 *             depends on that store
 *   none      only the arithmetic that links the pairs of the chains `load` and `store`, as a control
 *
 * Where a value becomes part of an address it is multiplied by zero and the address is added: values of any width can
 * be used, and they change, which defeats value prediction. The multiplication and the addition are part of the chain.
 *
 * Method: docs/METHODS.md, 4.16.
 */
#ifndef FATHOM_LIB_KERNELS_STORE_LOAD_H
#define FATHOM_LIB_KERNELS_STORE_LOAD_H

#include "arch/emit_access.h"
#include "lib/base/clusters.h"
#include "lib/probe/probe.h"

enum dependency_through { THROUGH_DATA, THROUGH_LOAD, THROUGH_STORE, THROUGH_NONE };

enum load_base {
    BASE_SAME,  /* the load's base register is the store's */
    BASE_OTHER, /* another register of the same value; the chains `load` and `store` always use another one */
    BASE_MOVES  /* the store's, which is increased by a line after each pair */
};

struct store_load {
    const struct emit_access *store, *load; /* THROUGH_LOAD and THROUGH_STORE: of general registers */
    enum dependency_through chain;
    enum load_base base;  /* used by THROUGH_DATA only */
    int32_t store_offset; /* bytes from the data to where the store writes */
    int32_t load_offset;  /* bytes from there to where the load reads */
    unsigned stores;      /* adjacent stores of equal width that together write what the load reads; 0: 1 */
    bool backwards;       /* the store to the highest address comes first */
    bool changing;      /* THROUGH_DATA of general registers: an addition, in the chain, changes the value each time */
    unsigned pairs;     /* pairs in the loop; 0: store_load_measure chooses */
    int32_t pitch;      /* bytes of data between neighbouring pairs */
    unsigned nop_bytes; /* bytes of NOPs between neighbouring pairs */
    bool long_training; /* run the loop longer before measuring: predictors of pairs of stores and loads learn slowly */
};

/*
 * How the value of a store can reach a load, fastest first. RENAMED: it never left the registers, or was predicted.
 * FORWARDED: by the fastest class of forwarding, in about the time of a load from the cache. SLOW: forwarded, but
 * slower by less than the time of a load. BLOCKED: the load waits until the store is in the cache and reads it from
 * there, at least the time of a load more than FORWARDED. UNKNOWN: these cycles are in no cluster.
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
 * and `load` are inputs (store_load_references). False, with no clusters, where the cycles form none or `load` is not
 * known.
 */
bool forwarding_paths_decide(struct forwarding_paths *w, const double *sorted, size_t count);
/* The path of a pair that takes so many cycles, arithmetic included. */
enum forwarding_path forwarding_path_of(const struct forwarding_paths *w, double cycles);

/* Emits the chain and makes it a kernel that works on `data`; its unit is a pair. False when the probe is over. */
bool store_load_kernel(struct probe *p, const struct store_load *s, uint64_t data, struct kernel *k);
/*
 * Measures cycles per pair: the median of several samples, of loops of different lengths. NaN where a sample had no
 * accepted reading. False when the probe is over.
 */
bool store_load_measure(struct probe *p, const struct store_load *s, uint64_t data, double *cycles);
/*
 * Sets w->extra and w->load for the chain of `s`: measures the arithmetic alone, and a chain of loads of bytes that
 * none of its stores wrote. NaN where no reading was accepted. Uses 2 * SEPARATE_BYTES bytes from `data` on. False when
 * the probe is over.
 */
enum { SEPARATE_BYTES = 128 };
bool store_load_references(struct probe *p, const struct store_load *s, uint64_t data, struct forwarding_paths *w);
/*
 * The widest load of a general register that is not renamed when it follows a store of 64 bits at the same address; the
 * narrowest load where all are. *load becomes NULL where a measurement had no accepted reading. False when the probe is
 * over.
 */
bool store_load_not_renamed(struct probe *p, uint64_t data, const struct emit_access **load);

#endif
