/*
 * How the structures of a modelled core are divided between two threads. What a thread has of each depends on whether
 * its sibling is awake, and on which structure the sibling fills.
 */
#ifndef FATHOM_TESTS_MODEL_SMT_H
#define FATHOM_TESTS_MODEL_SMT_H

#include "lib/measure/responder.h"

enum smt_structure {
    SMT_ENTRIES, /* of the reorder buffer */
    SMT_LOADS,
    SMT_STORES,
    SMT_LINES, /* of the first data cache, by ways */
    SMT_PAGES, /* of the first data TLB, by ways */
    SMT_STRUCTURES
};

enum smt_rule {
    SMT_RULE_NONE,   /* each thread has all of it */
    SMT_RULE_HALVES, /* each has half as soon as the other one is awake */
    SMT_RULE_CAP,    /* each has `left` of it then */
    SMT_RULE_DEMAND  /* a thread that fills it leaves `left` of it */
};

struct smt_design {
    struct smt_rule_of {
        enum smt_rule rule;
        double left;
    } of[SMT_STRUCTURES];
};

/* The part of a structure that is left beside a sibling with this task; NULL: one that sleeps. */
double smt_left(const struct smt_design *d, enum smt_structure what, const struct responder_task *sibling);

#endif
