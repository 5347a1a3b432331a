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
#include "lib/probe/probe.h"

enum dependency_through { THROUGH_DATA, THROUGH_LOAD, THROUGH_STORE, THROUGH_NONE };

enum load_base {
    BASE_SAME,   /* the load's base register is the store's */
    BASE_OTHER,  /* another register of the same value; the chains `load` and `store` always use another one */
    BASE_MOVES,  /* the store's, which is increased by a line after each pair */
    BASE_CHANGES /* the store's, which is decreased by a line between store and load, and increased behind the load */
};

struct store_load {
    const struct emit_access *store, *load; /* THROUGH_LOAD and THROUGH_STORE: of general registers */
    enum dependency_through chain;
    enum load_base base;  /* used by THROUGH_DATA only */
    int32_t store_offset; /* bytes from the data to where the store writes */
    int32_t load_offset;  /* bytes from there to where the load reads */
    unsigned stores;      /* in place of one store, adjacent ones that together write its bytes; 0: 1 */
    bool backwards;       /* the store to the highest address comes first */
    bool overwritten;   /* general registers: in front of them a store of another value, known early, to these bytes */
    bool reused;        /* THROUGH_DATA: the register that was stored gets another value between store and load */
    bool changing;      /* THROUGH_DATA of general registers: an addition, in the chain, changes the value each time */
    unsigned pairs;     /* pairs in the loop; 0: store_load_measure chooses */
    int32_t pitch;      /* bytes of data between neighbouring pairs */
    unsigned nop_bytes; /* bytes of NOPs between neighbouring pairs */
    bool long_training; /* run the loop longer before measuring: predictors of pairs of stores and loads learn slowly */
};

/*
 * Emits the chain of s->pairs pairs, which must not be 0, and makes it a kernel that works on `data`; its unit is a
 * pair. False when the probe is over.
 */
bool store_load_kernel(struct probe *p, const struct store_load *s, uint64_t data, struct kernel *k);
/*
 * Measures the cycles of a pair of the chain *s on `data`: the median of several samples, each of a loop of another
 * length unless s->pairs sets it. NaN where a sample had no accepted reading. False when the probe is over.
 */
bool store_load_measure(struct probe *p, const struct store_load *s, uint64_t data, double *cycles);

#endif
