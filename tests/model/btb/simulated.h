/*
 * A modelled branch target buffer for rows of branches: entries with addresses in them, found, trained and replaced
 * branch by branch. It knows of sets what hardware knows, and shares nothing with lib/fit/btb_row.c but the names of kinds.
 */
#ifndef FATHOM_TESTS_MODEL_BTB_SIMULATED_H
#define FATHOM_TESTS_MODEL_BTB_SIMULATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fit/btb_fit.h"

enum replacement {
    REPLACE_OLDEST,
    REPLACE_RANDOM,
    REPLACE_TREE,  /* pseudo-LRU: each node of a tree over the ways, a power of two, points away from what was used */
    REPLACE_OTHERS /* at random, but not what was used last */
};

struct simulated {
    struct btb_organisation levels[BTB_FIT_LEVELS]; /* ways_end is not looked at */
    size_t count;
    double cycles[BTB_FIT_LEVELS + 1]; /* of a hit; of a miss of all */
    enum replacement replacement;
    unsigned gap; /* index bits from so many on are taken one address bit higher; 0: all follow each other */
    bool victims; /* level 2 holds what level 1 threw out, and gives it back when it is found */
    uint64_t base;
};

/* Cycles per branch when nothing changes any more; of random replacement, on the average of some rounds. */
double simulated_cycles(const struct simulated *s, const struct btb_row *row);

#endif
