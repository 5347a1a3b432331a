/*
 * A modelled branch target buffer for branch sequences: entries with addresses in them, looked up, trained and
 * replaced branch by branch. It does what hardware does with sets, and has only names of kinds in common with
 * lib/structure/btb_sequence.c.
 */
#ifndef FATHOM_TESTS_MODEL_BTB_SIMULATED_H
#define FATHOM_TESTS_MODEL_BTB_SIMULATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/structure/btb_fit.h"

enum replacement {
    REPLACE_OLDEST,
    REPLACE_RANDOM,
    REPLACE_TREE,  /* pseudo-LRU: each node of a tree over the ways, a power of two, points away from the latest use */
    REPLACE_OTHERS /* at random, but not the entry that was used last */
};

struct simulated {
    struct btb_organisation levels[BTB_FIT_LEVELS]; /* ways_end is not used */
    size_t count;
    double cycles[BTB_FIT_LEVELS + 1]; /* of a hit in each level, and of a miss in all */
    enum replacement replacement;
    unsigned gap; /* index bits from this one on are one address bit higher; 0: all are neighbours */
    bool victims; /* level 2 has what level 1 evicted, and gives it back on a hit */
    uint64_t base;
};

/* Cycles per branch once the buffers are trained; with random replacement, the mean of some rounds. */
double simulated_cycles(const struct simulated *s, const struct btb_sequence *row);

#endif
