/*
 * Which event goes to which counter: bipartite matching, over as many repeated runs as it takes.
 *
 * An assignment is found whenever one exists, in nearly all cases with the smallest number of runs (see `least`
 * below), and does not depend on the order in which events are asked for.
 */
#ifndef FATHOM_LIB_COUNTERS_ALLOCATE_H
#define FATHOM_LIB_COUNTERS_ALLOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an event needs of the counters. */
struct demand {
    uint64_t slots;       /* those that can count it (arch/counters.h) */
    unsigned width;       /* 1, or 2 for an even slot and the next (AMD's large increments, Arm's CHAIN) */
    uint32_t resource[2]; /* shared registers, either of which will do, 0: none needed */
    uint64_t value;       /* that the register must hold: events of one run share it only if their values are equal */
};

/* Where a demand is met. */
struct place {
    unsigned run;      /* from 0 */
    unsigned slot;     /* the even one of two */
    uint32_t resource; /* the register chosen; 0: none is needed */
};

/* Demands that can be allocated at once. */
enum { ALLOCATE_EVENTS = 128 };

/*
 * Allocates each of `count` demands to one of the `available` slots, a bitmap, or to two, and writes where to out[], in
 * as few runs as it finds. Returns the number of runs. 0, with out[] not to be used: no slots can meet some demand, and
 * *unmet is the index of the first such; or nothing was asked for or memory is short, and *unmet is `count`.
 * `order_key` has a text for each demand, by which equal demands are placed, so that the result does not depend on the
 * order of demands; NULL where that does not matter.
 *
 * *least, where `least` is not NULL, is set when fewer runs are proven to be impossible, else cleared. That is always
 * proven when no demand needs a shared register or two slots. Otherwise a search decides, which ends unproven after
 * many thousand attempts; then the number of runs may be larger than needed.
 */
unsigned allocate(const struct demand *demands, const char *const *order_key, size_t count, uint64_t available,
                  struct place *out, size_t *unmet, bool *least);

#endif
