/*
 * What instructions of a modelled core occupy from renaming to retirement: entries of the reorder buffer, physical
 * registers, entries for loads, stores and branches. Where one of these is full, the next instruction that needs it
 * waits until the oldest one that has it retires.
 */
#ifndef FATHOM_TESTS_MODEL_IN_FLIGHT_H
#define FATHOM_TESTS_MODEL_IN_FLIGHT_H

#include "tests/model/decode.h"

enum resource {
    RESOURCE_ENTRY,   /* of the reorder buffer */
    RESOURCE_RENAME,  /* for each renamed register */
    RESOURCE_HALF,    /* a register of a file for 32-bit results */
    RESOURCE_GENERAL, /* the other physical registers */
    RESOURCE_FLAGS,
    RESOURCE_VECTOR,
    RESOURCE_LOAD, /* of the load queue, the store queue and the branches in flight */
    RESOURCE_STORE,
    RESOURCE_BRANCH,
    RESOURCES
};

enum { IN_FLIGHT_MAXIMUM = 4096 };

/* Where in an entry of several instructions those of one kind may stand. */
enum in_entry { ENTRY_ANY, ENTRY_FIRST, ENTRY_LAST };

struct in_flight_design {
    unsigned most[RESOURCES]; /* entries; of registers, those beyond the architectural ones. 0: any number */
    bool packs; /* two 32-bit results share a general register; with RESOURCE_HALF they have a register file instead */
    bool flags_are_general; /* flags are kept in general registers, so that comparisons take one, too */
    unsigned nops;          /* NOPs in sequence that share an entry; 0: 1 */
    bool pairs;             /* or two instructions, unless both write a general register or both have a displacement */
    unsigned together;      /* or that many instructions, with at most one access to memory and one branch; 0: 1 */
    enum in_entry access_at, branch_at; /* where these stand in such an entry */
    bool loads_leave;                   /* loads give their entries back when they are done, even before they retire */
    unsigned others;                    /* registers of each kind that a sibling thread occupies */
    double left[RESOURCES];             /* the part that a sibling thread leaves of each; 0: all */
    unsigned group; /* instructions that enter together, counted from a fence, when there is room for all; 0: 1 */
};

struct in_flight {
    double left[RESOURCES][IN_FLIGHT_MAXIMUM]; /* of each entry: when the instruction that took it last gives it back */
    unsigned places[RESOURCES];                /* how many entries there are; 0: any number */
    bool limited;                              /* some number is limited: else nothing here needs to be done */
    unsigned next[RESOURCES];                  /* the entry that is taken next */
    unsigned by_this[RESOURCES]; /* entries that the current instruction has taken, which lie before that one; … */
    unsigned by_this_all;        /* … and their sum */
    unsigned nops;               /* in the last entry */
    unsigned together;           /* instructions in the last entry; and of those: */
    bool accesses, branches, closed;
    bool paired, writes, displaced; /* of an entry for two: it has two; what the last one does */
    bool shares;                    /* the current instruction shares the entry of the one before it */
    unsigned grouped;               /* instructions of the last group so far */
};

/* Begins a call of a kernel: nothing is in flight. */
void in_flight_start(struct in_flight *f, const struct in_flight_design *d);
/* An instruction is delivered at `front` and takes an entry and registers. Returns when it has them. */
double in_flight_rename(struct in_flight *f, const struct in_flight_design *d, const struct decoded *i, double front);
/* The same instruction loads or stores. Returns when the queue has room for that. */
double in_flight_access(struct in_flight *f, bool store, double front);
/* The same instruction was done at `done`, and retires at `at`. */
void in_flight_retire(struct in_flight *f, const struct in_flight_design *d, double done, double at);

#endif
