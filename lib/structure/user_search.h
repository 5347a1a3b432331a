/* The search for what limits a kernel of the user: variants of it, and what came of each. */
#ifndef FATHOM_LIB_STRUCTURE_USER_SEARCH_H
#define FATHOM_LIB_STRUCTURE_USER_SEARCH_H

#include "lib/structure/user_limits.h"

struct user_search {
    struct probe *p;
    struct user_place *w;
    struct user_limits *l;
    unsigned copies; /* of each variant */
    bool values;     /* what is in registers decides how long the code takes, set by user_search_mispredicted */
    unsigned ends;   /* variants that ended in a fault or at the deadline; after some no more are tried */
};

/* Whether so many variants ended in a fault or at the deadline that no more are tried. */
bool user_search_gave_up(const struct user_search *s);
/* Cycles of a copy of this variant; NaN where it faulted, did not end, or gave no reading. False: the probe is over. */
bool user_search_measure(struct user_search *s, struct user_variant v, struct user_cycles *cycles);
/* The same, the median alone. */
bool user_search_cycles(struct user_search *s, struct user_variant v, double *cycles);
/* A new trial, of which nothing is known yet. */
struct user_trial *user_search_trial(struct user_search *s, const char *what, unsigned which);
/* Adds a limit to the text. */
void user_search_say(struct user_search *s, const char *before, const char *text);

/*
 * Whether the kernel waits for mispredicted branches: all copies of an iteration do the same in each one where
 * registers are given their first values before it, so that all branches can be predicted. *cost: cycles of a copy that
 * this saves, 0 where it is no limit. nop_cycles: what each NOP takes alone. False: the probe is over.
 */
bool user_search_mispredicted(struct user_search *s, double nop_cycles, double *cost);
/*
 * Which registers, or else which words of memory, the kernel waits for. cost: cycles of a copy that mispredictions
 * take, which a register that has its first value again does away with, too. False: the probe is over.
 */
bool user_search_waits(struct user_search *s, double cost, bool *found);
/*
 * Which instruction the kernel becomes fastest without, where NOPs in its place make it faster than it is, and than with
 * NOPs besides. False: the probe is over.
 */
bool user_search_instructions(struct user_search *s);

#endif
