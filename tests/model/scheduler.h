/*
 * Where instructions of a modelled core wait for what they need: schedulers, from which each leaves when it begins, and
 * queues before them, which each leaves in order for an entry there. Where a scheduler and its queue are full, the next
 * that wants in waits, and all behind it.
 */
#ifndef FATHOM_TESTS_MODEL_SCHEDULER_H
#define FATHOM_TESTS_MODEL_SCHEDULER_H

#include <stdbool.h>

enum waits { WAITS_GENERAL, WAITS_VECTOR, WAITS_LOAD, WAITS_STORE, WAITS };

enum { SCHEDULER_MAXIMUM = 256 };

struct scheduler_design {
    unsigned entries[WAITS]; /* 0: any number */
    unsigned queue[WAITS];   /* before them */
    bool unified;            /* vectors wait where general registers do */
    bool loads_stay;         /* until they are done, not until they begin */
};

struct scheduler {
    double leaves[WAITS][SCHEDULER_MAXIMUM];  /* its entries, in no order */
    double entered[WAITS][SCHEDULER_MAXIMUM]; /* when what came last, and so many before it, did */
    unsigned long came[WAITS];
    enum waits which; /* of the instruction at hand … */
    unsigned entry;   /* … and its entry */
    bool in;          /* it has one */
};

/* A new call: nobody waits. */
void scheduler_start(struct scheduler *s);
/* An instruction is delivered at `*front`, which may become later. When it can begin, as far as its entry goes. */
double scheduler_enter(struct scheduler *s, const struct scheduler_design *d, enum waits which, double *front);
/* It begins then, or is done. */
void scheduler_leave(struct scheduler *s, double at);

#endif
