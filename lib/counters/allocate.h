/*
 * Which event goes to which counter: bipartite matching, over as many repeated runs as it takes.
 *
 * An assignment is found whenever one exists, in nearly all cases with the smallest number of runs (see
 * *least), and does not depend on the order in which events are asked for.
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

struct place {
    unsigned run;      /* from 0 */
    unsigned slot;     /* the even one of two */
    uint32_t resource; /* the one chosen */
};

/* Demands at most. */
enum { ALLOCATE_EVENTS = 128 };

/*
 * Allocates every demand to one of the `available` slots, in as few runs as possible. Returns the number of runs. 0:
 * some demand cannot be met in any run, and *unmet is its index; or nothing was asked for or memory is short, and
 * *unmet is `count`. `order_key` makes the result independent of the order of demands: equal ones are placed by their
 * keys; NULL where that does not matter.
 *
 * *least (may be NULL) is set when fewer runs are proven to be impossible. That is always so when no demand needs a
 * shared register or two slots; otherwise a search decides, which after many thousand attempts ends unproven, with a
 * number of runs that may be too large.
 */
unsigned allocate(const struct demand *demands, const char *const *order_key, size_t count, uint64_t available,
                  struct place *out, size_t *unmet, bool *least);

#endif
