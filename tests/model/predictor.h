/*
 * Where the modelled core believes that branches go: a return stack, an indirect predictor that may
 * stand in for it, and a predictor of conditional branches.
 *
 * Readings are a thousand times shorter in the model than on silicon, so that the luck of single
 * random branches would not average out. Hence a branch costs what it costs on average: nothing when
 * it is mostly foreseen, half of a misprediction when it goes at random, a whole one when it is
 * mostly mispredicted. Branches back are loops and foreseen to their end.
 */
#ifndef FATHOM_TESTS_MODEL_PREDICTOR_H
#define FATHOM_TESTS_MODEL_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/model/cache.h"
#include "tests/model/history.h"

enum { PREDICTOR_ENTRIES = 16384, PREDICTOR_WAYS = 4, RETURN_STACK_MAXIMUM = 256 };

struct predictor {
    unsigned depth; /* of the return stack */
    bool indirect;  /* returns that the return stack has lost go to the indirect predictor */
    /* outcomes of conditional branches, by a hash of those before them; without ways there is no such table */
    struct cache patterns;
    struct history history; /* by which conditional branches are predicted; without it, by where they went last */

    uint64_t returns[RETURN_STACK_MAXIMUM]; /* a ring: what is deeper than it overwrites the oldest */
    unsigned top, held;
    uint64_t outcomes; /* of conditional branches, newest bit last */
    struct {
        uint64_t key, target;
    } by_history[PREDICTOR_ENTRIES];     /* by branch and history; where that was not seen before, … */
    uint64_t last[PREDICTOR_ENTRIES];    /* … where the branch went last, … */
    uint64_t other[PREDICTOR_ENTRIES];   /* … and where it went before that */
    uint8_t counters[PREDICTOR_ENTRIES]; /* two bits, by branch: taken from 2 on */
    bool loops[PREDICTOR_ENTRIES];       /* has gone back */
    uint8_t seen[PREDICTOR_ENTRIES];     /* ways that it has gone: bit 0 taken, bit 1 not */
    double missed[PREDICTOR_ENTRIES];    /* rate, by branch */
};

void predictor_call(struct predictor *p, uint64_t return_address);
/* The part of a misprediction that the branch at pc costs this time. */
double predictor_return(struct predictor *p, uint64_t pc, uint64_t target);
double predictor_conditional(struct predictor *p, uint64_t pc, uint64_t not_taken, uint64_t target);
/* Foreseen: where it went last. */
double predictor_indirect(struct predictor *p, uint64_t pc, uint64_t target);

#endif
