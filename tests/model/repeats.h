/*
 * Calls of kernels whose outcome is known. A call that leaves the core as it was, and memory too, takes as long and does
 * the same when it is made again, as long as neither the core nor the code nor the data that it has accessed changed.
 * Most readings of a kernel are such calls, and are not executed again: only one in some of them is, to prove it.
 *
 * Registers are left out: a kernel knows its arguments, and does not read others before it has written them.
 */
#ifndef FATHOM_TESTS_MODEL_REPEATS_H
#define FATHOM_TESTS_MODEL_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/model/core.h"

enum { REPEATS = 8 };

/* A word of memory as it was when it was accessed. */
struct accessed {
    const uint8_t *at;
    uint64_t value;
    size_t bytes; /* at most 8 */
};

struct accesses {
    struct accessed *list;
    size_t count, room;
    bool overflow; /* there were more than are kept */
};

/* What is known about calls of one kernel with the same arguments. */
struct repeat {
    uint64_t entry, arguments[2], version; /* of the core, with which it was called */
    double cycles;
    struct core_counts counts; /* by how much they grew */
    uint64_t added, outcomes;  /* of branches: predictor_add */
    struct accesses accesses;  /* to data */
};

struct repeats {
    struct repeat known[REPEATS];
    size_t next;             /* the one that is replaced next */
    unsigned long found;     /* calls whose outcome was known */
    uint64_t version;        /* of the core: another one after each change */
    struct accesses current; /* of the call that runs */
};

/* What is known about that call. NULL: it has to be executed. */
struct repeat *repeats_find(struct repeats *r, uint64_t entry, const uint64_t arguments[2]);
/* The call that runs accesses data. */
void repeats_access(struct repeats *r, const uint8_t *at, size_t bytes);
/* A call has ended and left the core as it was: it is known from now on, unless it has changed memory. */
void repeats_learn(struct repeats *r, const struct repeat *call);
void repeats_free(struct repeats *r);

#endif
