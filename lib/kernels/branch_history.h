/*
 * Branch history kernel: a loop in which the history of a branch predictor is all that can predict one branch.
 *
 *     bearer   goes by a bit drawn at random
 *     dummies  branches that always go the same way and only shift the history
 *     probe    a conditional branch that goes by the same bit: predicted while the history still contains the bearer
 *
 * The probe branch waits for a chain of multiplications that begins right before it, so that on a core that executes
 * out of order a misprediction costs the whole chain, many times what the time of the dummies varies by.
 *
 * Branches that are not taken, in a mixture with at least two taken ones, are emitted where no other code of ours has
 * been: where taken ones were, the branch target buffer may still have their entries, and these enter the history
 * (measured on Zen 4: up to 20 entries for 134 branches, by the place of the code).
 *
 * Method: docs/METHODS.md, 5.4.
 */
#ifndef FATHOM_LIB_KERNELS_BRANCH_HISTORY_H
#define FATHOM_LIB_KERNELS_BRANCH_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/probe/probe.h"

/* Kinds of dummies. */
enum history_kind {
    HISTORY_TAKEN, /* conditional */
    HISTORY_NOT_TAKEN,
    HISTORY_UNCONDITIONAL,
    HISTORY_INDIRECT,
    HISTORY_CALL_RETURN,
    HISTORY_KINDS
};

enum history_bearer {
    HISTORY_DIRECTION, /* a conditional branch, taken or not */
    HISTORY_TARGET,    /* an indirect jump to one of two neighbouring instructions */
    HISTORY_SOURCE,    /* two conditional branches to one target, of which one or the other is taken */
    HISTORY_BEARERS
};

/* By which bit the probe branch is taken or not: that of the bearer, another one, or none. */
enum history_probe {
    HISTORY_SAME_BIT,
    HISTORY_OTHER_BIT, /* of the draw: never predicted */
    HISTORY_CONSTANT,  /* always predicted */
    HISTORY_PROBES
};

enum {
    HISTORY_LINE_BYTES = 64,      /* from one dummy to the next: any branch target buffer can hold them then */
    HISTORY_PLACES = 64,          /* lines among which the code of a sample begins */
    HISTORY_MULTIPLICATIONS = 48, /* of the chain before the probe branch */
    HISTORY_DUMMIES = 896         /* at most: more of them do not fit the first instruction cache, close as they are */
};

struct branch_history {
    enum history_kind kind;
    enum history_bearer bearer;
    unsigned mixed; /* this number of dummies of the kind, and x taken conditional ones; 0: x of the kind */
    unsigned first; /* this number of taken conditional ones more: before those of the kind, unless these lie apart */
    uint64_t state; /* address at which the generator's state is kept, lib/kernels/chance.h */
    size_t place;   /* where the code begins, in lines, below HISTORY_PLACES */
    bool close;     /* two dummies to a line: for numbers that would fill the first instruction cache otherwise */
};

/* The number of branches of one dummy. */
unsigned history_branches(enum history_kind kind);
/*
 * Whether the dummies of this kernel at x, without h->first, take more than 24 KiB on cache lines of their own, so that
 * `close` is needed: with the rest of the code that is 32 KiB, the smallest instruction cache in scope. Branches that
 * are not taken do not count.
 */
bool history_fills_cache(const struct branch_history *h, double x);
/*
 * Makes the kernel whose probe branch goes by `goes`; its unit is an iteration. It has x dummies of the kind or, with
 * h->mixed, that many of the kind and x taken conditional ones, and h->first further taken ones; HISTORY_DUMMIES in all
 * at most. It replaces the kernel that was built before. False: the probe has ended.
 */
bool history_build(struct probe *p, const struct branch_history *h, size_t x, enum history_probe goes,
                   struct kernel *k);
/*
 * Emits conditional branches that are always taken, since REG_T6 is zero, `pitch` bytes from one to the next; the
 * first one begins a line.
 */
void history_emit_taken(struct code *c, unsigned count, size_t pitch);
/* The same of that kind; the function that calls go to is at offset 0. */
void history_emit_dummies(struct code *c, enum history_kind kind, unsigned count, size_t pitch);
/*
 * Emits the chain of multiplications that a probe branch waits for: of REG_T5 by REG_T2, which must be odd, as
 * chance_begin leaves it. REG_T5 is overwritten, and is zero only where it was.
 */
void history_emit_chain(const struct probe *p, struct code *c);
/*
 * Emits the probe branch: taken where REG_T5 is zero, which is known only after a chain of multiplications of it by
 * REG_T2, which must be odd, as chance_begin leaves it. REG_T5 is overwritten.
 */
void history_emit_probe_branch(const struct probe *p, struct code *c);
/*
 * The same by an indirect jump with two targets: behind the chain, sets REG_T5 to the first of the two places that
 * follow each other from `places` on where its lowest bit is zero, else to the second one. REG_T4 is overwritten.
 */
void history_emit_target(const struct probe *p, struct code *c, size_t places);
/* Emits those two places, from here on; the first one leads to the second. */
void history_emit_places(struct code *c);

#endif
