/*
 * Which event goes to which counter: bipartite matching, over as many repeated runs as it takes.
 *
 * An assignment is found whenever one exists, with the smallest number of runs, and does not depend on
 * the order in which events are asked for.
 */
#ifndef FATHOM_LIB_ALLOCATE_H
#define FATHOM_LIB_ALLOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an event needs of the counters. */
struct demand {
    uint64_t slots;       /* those that can count it (arch/counters.h) */
    unsigned width;       /* 1, or 2 for an even slot and the next (AMD's large increments, Arm's CHAIN) */
    bool alone;           /* no other event of its kind in the same run */
    uint32_t resource[2]; /* shared registers, either of which will do, 0: none needed */
    uint64_t value;       /* which must hold this; two events of one run may share it with equal values */
};

struct place {
    unsigned run; /* from 0 */
    unsigned slot;
    uint32_t resource; /* the one chosen */
};

enum { ALLOCATE_EVENTS = 128 };

/*
 * Places every demand. `available` are the slots at hand. Returns the number of runs, 0 when some
 * demand cannot be met in any run: *unmet is its index then. `order_key` makes the answer independent of
 * the order: equal demands are placed by their keys; NULL where that does not matter.
 */
unsigned allocate(const struct demand *demands, const char *const *order_key, size_t count, uint64_t available,
                  struct place *out, size_t *unmet);

#endif
