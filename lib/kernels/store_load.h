/*
 * Stores and loads that meet: chains of pairs, a store and a load of what it wrote, in which each pair waits for the one
 * before it.
 *
 *   data      the loaded value is what the next pair stores. The load's own address is known long before, so that it
 *             may be there before what it waits for
 *   load      the loaded value is part of the next load's address. The store is done long before
 *   store     the loaded value is part of the next store's address. The load is there before anything says that it
 *             has to wait
 *   none      the arithmetic alone that is between pairs in the chains `load` and `store`: control
 *
 * Where a value is part of an address it is multiplied by zero and the address is added, so that any value of any width
 * will do, and values change, which fools predictors of values. The multiplication and the addition are in the chain.
 */
#ifndef FATHOM_LIB_KERNELS_STORE_LOAD_H
#define FATHOM_LIB_KERNELS_STORE_LOAD_H

#include "arch/emit_access.h"
#include "lib/fit/classes.h"
#include "lib/probe.h"

enum chain_through { CHAIN_DATA, CHAIN_LOAD, CHAIN_STORE, CHAIN_NONE };

enum load_base {
    BASE_SAME,  /* the load's base register is the store's */
    BASE_OTHER, /* another one of the same value; as it is in the other chains */
    BASE_MOVES  /* the same, and goes on after each pair */
};

struct store_load {
    const struct emit_access *store, *load; /* CHAIN_LOAD and CHAIN_STORE: general registers */
    enum chain_through chain;
    enum load_base base; /* of CHAIN_DATA */
    int32_t at, offset;  /* where the store writes, from the data on; and the load, from there on */
    unsigned stores;     /* that make up what is loaded, side by side; 0: 1 */
    bool backwards;      /* the highest of them comes first */
    bool changing;       /* CHAIN_DATA of general registers: an addition changes the value, and is in the chain */
    unsigned pairs;      /* 0: as store_load_measure chooses; one after the other in the code, */
    int32_t pitch;       /* so far apart in the data … */
    unsigned nop_bytes;  /* … and in the code, by NOPs */
    bool slow_learning;  /* what is to be learned of a pair takes longer than usual */
};

/*
 * The ways that a pair may go. A load that is forwarded to takes about as long as one from the cache, or longer; one of
 * less than three quarters of that did not wait for its address or for memory at all: the value was renamed, or predicted
 * (1 cycle, across a line 2, where a load takes 4: Zen 4, measured). One that gets nothing from the store waits until that
 * is in the cache, and then goes there itself: at least a load more.
 */
enum way { WAY_RENAMED, WAY_FORWARDED, WAY_SLOW, WAY_BLOCKED, WAY_UNKNOWN };

struct ways {
    double extra;           /* cycles of the chain that are no pair's: arithmetic */
    double load;            /* cycles of a load from the cache */
    struct classes classes; /* of the cycles of all pairs, arithmetic included */
    size_t forwarded;       /* the fastest of those that are not renamed; classes.count where there is none */
    size_t blocked;         /* the fastest of those that are blocked, likewise */
};

/* The classes of sorted cycles of a chain whose `extra` and `load` are there. False where there are none. */
bool ways_decide(struct ways *w, const double *sorted, size_t count);
enum way way_of(const struct ways *w, double cycles);

/* Emits it and makes it a kernel of those data; units are pairs. */
bool store_load_kernel(struct probe *p, const struct store_load *s, uint64_t data, struct kernel *k);
/* Cycles a pair, the median of several samples of different numbers of pairs. */
bool store_load_measure(struct probe *p, const struct store_load *s, uint64_t data, double *cycles);
/*
 * What the arithmetic of such a chain takes, and a load from the cache: of a chain of loads of what was stored elsewhere.
 * Data from `data` to twice SEPARATE_BYTES behind it are used.
 */
enum { SEPARATE_BYTES = 128 };
bool store_load_references(struct probe *p, const struct store_load *s, uint64_t data, struct ways *w);

#endif
