/*
 * Branch prediction of the modelled core: a return stack, an indirect predictor that may predict returns, too, and a
 * predictor of conditional branches.
 *
 * Readings are a thousand times shorter in the model than on silicon: whether single random branches happen to be
 * predicted right would not average out. So a branch always costs what it costs on average: nothing when it is mostly
 * predicted right, half of a misprediction when it is random, a whole one when it is mostly mispredicted. Branches
 * backwards, and those that depend on how many turns of a loop are left, are always predicted right.
 */
#ifndef FATHOM_TESTS_MODEL_PREDICTOR_H
#define FATHOM_TESTS_MODEL_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/model/cache.h"
#include "tests/model/history.h"
#include "tests/model/ittage.h"
#include "tests/model/tage.h"

enum { PREDICTOR_ENTRIES = 16384, PREDICTOR_WAYS = 4, RETURN_STACK_MAXIMUM = 256 };

struct predictor {
    unsigned depth; /* entries of the return stack */
    bool indirect;  /* the indirect predictor predicts returns that the return stack has lost */
    /* outcomes of conditional branches, by a hash of the outcomes before; without ways there is no such table */
    struct cache patterns;
    struct history history; /* without one, conditional branches are predicted by their counters */
    struct tage *tage; /* tagged tables that use the history's registers; NULL: the history has tables of its own */

    struct ittage *ittage; /* tagged tables of indirect branches; NULL: these are predicted by their latest targets */

    uint64_t returns[RETURN_STACK_MAXIMUM]; /* a ring: calls that nest deeper overwrite the oldest */
    unsigned top, filled;                   /* the latest entry; how many are valid */
    uint64_t outcomes;                      /* of conditional branches, the latest in the lowest bit */
    uint64_t added;                         /* bits of them that the current call has added */
    bool asked;                             /* something of that call depended on them */
    struct {
        uint64_t key, target;
    } by_history[PREDICTOR_ENTRIES]; /* targets by branch and outcomes; where that is new, … */
    struct branch {
        uint64_t last;   /* … the latest target of the branch; … */
        uint64_t other;  /* … and the target before that one */
        int32_t missed;  /* rate of mispredictions, in 1/65536 */
        uint8_t counter; /* two bits: predicted taken from 2 on */
        uint8_t seen;    /* bit 0: it was taken before, bit 1: it was not */
        bool loops;      /* it has gone backwards, or ends a loop */
    } branches[PREDICTOR_ENTRIES];
    uint32_t kept[PREDICTOR_ENTRIES]; /* of each branch: changes_keep */
};

struct core_design;
/* What the design says of it; everything else is zero. */
void predictor_start(struct predictor *p, const struct core_design *design);
void predictor_stop(struct predictor *p);
/* A call begins (tests/model/changes.h): keeps what it is likely to change. */
void predictor_save(struct predictor *p);
/* A call that asked for no outcomes, and has added so many with these as the latest, is repeated. */
void predictor_add(struct predictor *p, uint64_t added, uint64_t outcomes);
void predictor_call(struct predictor *p, uint64_t return_address);
/* The branch at pc goes to `target`. Which part of a misprediction it costs: 0 to 1. */
double predictor_return(struct predictor *p, uint64_t pc, uint64_t target);
double predictor_conditional(struct predictor *p, uint64_t pc, uint64_t not_taken, uint64_t target, bool ends_loop);
/* A branch of so many bytes. Without tables for such, the latest target is predicted. */
double predictor_indirect(struct predictor *p, uint64_t pc, unsigned bytes, uint64_t target);

#endif
