/*
 * What instructions of a modelled core hold from when they are renamed until they retire: entries of its buffer, physical
 * registers, entries for loads, stores and branches. Where something is full, the next that wants it waits until the
 * oldest that holds it has retired.
 */
#ifndef FATHOM_TESTS_MODEL_IN_FLIGHT_H
#define FATHOM_TESTS_MODEL_IN_FLIGHT_H

#include "tests/model/decode.h"

enum held {
    HELD_ENTRY,
    HELD_RENAME,
    HELD_HALF,
    HELD_GENERAL,
    HELD_FLAGS,
    HELD_VECTOR,
    HELD_LOAD,
    HELD_STORE,
    HELD_BRANCH,
    HELDS
};

enum { IN_FLIGHT_MAXIMUM = 1024 };

/* Where among the instructions of an entry those of a kind may stand. */
enum in_entry { ENTRY_ANY, ENTRY_FIRST, ENTRY_LAST };

struct in_flight_design {
    unsigned most[HELDS];   /* at a time; registers beyond those that programs name. 0: any number */
    bool packs;             /* halves of general registers, two to one; HELD_HALF: they have a file of their own */
    bool flags_are_general; /* comparisons write a general register, too, where flags are kept */
    unsigned nops;          /* neighbours that share an entry; 0: 1 */
    bool pairs;             /* or two of any kinds that do not both write a general register, or have a displacement */
    unsigned together;      /* or instructions of any kind, one access and one branch among them; 0: 1 */
    enum in_entry access_at, branch_at; /* of those */
    bool loads_leave;                   /* their entries, when they are done, though nothing before them is */
    unsigned others;                    /* of each kind of register that are held by another thread at the time */
    unsigned group; /* instructions, from a fence on, that enter when there is room for all of them; 0: 1 */
};

struct in_flight {
    double left[HELDS][IN_FLIGHT_MAXIMUM]; /* when what took it last has retired */
    unsigned places[HELDS];                /* of those; 0: any number … */
    bool limited;                          /* … and not so of everything: else nobody need ask */
    unsigned next[HELDS];                  /* of those, the one that is taken next */
    unsigned by_this[HELDS];               /* so many before it are by the instruction at hand; of all together … */
    unsigned by_this_all;                  /* … so many */
    unsigned nops;                         /* in the last entry … */
    unsigned together;                     /* … or instructions, and whether there are among them … */
    bool accesses, branches, closed;
    bool paired, writes, displaced; /* of pairs: there are two; what the last one does */
    bool shares;                    /* … or it does not begin with the instruction at hand */
    unsigned grouped;               /* of the last group */
};

/* A new call: nothing is in flight. */
void in_flight_start(struct in_flight *f, const struct in_flight_design *d);
/* An instruction is delivered at `front`. When it has an entry and registers. */
double in_flight_rename(struct in_flight *f, const struct in_flight_design *d, const struct decoded *i, double front);
/* It loads or stores. When there is room for that. */
double in_flight_access(struct in_flight *f, bool store, double front);
/* It is done, and retires. */
void in_flight_retire(struct in_flight *f, const struct in_flight_design *d, double done, double at);

#endif
