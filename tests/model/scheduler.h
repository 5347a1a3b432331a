/*
 * Where instructions of a modelled core wait for their operands: in schedulers, whose entries they give back when they
 * begin, in any order; and before those in queues, which they leave in order, each for an entry of the scheduler.
 * Where a scheduler and its queue are full, the front end stops.
 */
#ifndef FATHOM_TESTS_MODEL_SCHEDULER_H
#define FATHOM_TESTS_MODEL_SCHEDULER_H

#include <stdbool.h>

enum waits { WAITS_GENERAL, WAITS_VECTOR, WAITS_LOAD, WAITS_STORE, WAITS };

/* Classes of operations on general registers that need not wait in the same schedulers. */
enum waits_class { CLASS_ANY, CLASS_FLAGS, CLASS_BRANCH, CLASS_SHIFT, CLASS_MULTIPLY, WAITS_CLASSES };

enum { SCHEDULER_MAXIMUM = 512, SCHEDULER_PARTS = 6 };

struct scheduler_design {
    unsigned entries[WAITS]; /* 0: any number */
    unsigned queue[WAITS];   /* entries of the queue before each; 0: there is none */
    bool unified;            /* one scheduler for operations on vectors and on general registers */
    bool single;             /* one scheduler, that of general registers, for everything */
    unsigned parts;          /* each is that many schedulers, which instructions enter in turn; 0: 1 */
    /*
     * Single schedulers of general registers, in place of entries[WAITS_GENERAL], which is their sum: entries of each,
     * 0: no more of them, and the classes, a bit each, that wait there. An operation goes where most entries are free,
     * or, where it is assigned early, to those of its class in turn.
     */
    unsigned single_entries[SCHEDULER_PARTS], single_classes[SCHEDULER_PARTS];
    bool assigned_early;
    bool loads_stay; /* loads give their entries back when they are done, not when they begin */
};

struct scheduler {
    double leaves[WAITS][SCHEDULER_MAXIMUM];  /* when each entry is free again */
    double entered[WAITS][SCHEDULER_MAXIMUM]; /* when the latest instructions entered it: a ring */
    unsigned long came[WAITS];
    enum waits which; /* the scheduler of the current instruction, … */
    unsigned entry;   /* … its entry, … */
    bool in;          /* … and whether it has one */
    unsigned turns[WAITS_CLASSES];
};

/* Begins a call of a kernel: nothing waits. */
void scheduler_start(struct scheduler *s);
/*
 * An instruction is delivered at *front, which becomes later where the front end has to stop. Returns when it enters.
 */
double scheduler_enter(struct scheduler *s, const struct scheduler_design *d, enum waits which, enum waits_class class,
                       double *front);
/* The same instruction gives its entry back at that time. */
void scheduler_leave(struct scheduler *s, double at);

#endif
