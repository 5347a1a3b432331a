/*
 * Random branch: a loop with one branch that goes one of two ways by a bit drawn at random, so that half of its
 * executions are mispredicted whatever the predictor does. For comparison the same code with a branch that always goes
 * the same way.
 *
 * The bit is drawn an iteration before, so that the branch can be resolved as soon as it is in the core. Around it are
 * 96 to 127 instructions on either side that do not depend on each other: the front end is never idle, and what a
 * misprediction adds is what it costs the front end.
 *
 * Method: docs/METHODS.md, 5.6.
 */
#ifndef FATHOM_LIB_KERNELS_RANDOM_BRANCH_H
#define FATHOM_LIB_KERNELS_RANDOM_BRANCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/probe/probe.h"

enum random_branch_kind {
    RANDOM_BRANCH_CONDITIONAL, /* taken or not */
    RANDOM_BRANCH_INDIRECT,    /* a jump to one of two neighbouring instructions */
    RANDOM_BRANCH_RETURN,      /* to one of two neighbouring instructions, the first one right after its call */
    RANDOM_BRANCH_KINDS
};

/* What is around the branch. */
enum random_branch_filling {
    RANDOM_BRANCH_NOPS,         /* long NOPs on both sides: they need nothing but the front end */
    RANDOM_BRANCH_MIXED_BEFORE, /* long NOPs and moves between registers in turn before it, long NOPs after it */
    RANDOM_BRANCH_MIXED_BEHIND, /* long NOPs and moves on both sides */
    RANDOM_BRANCH_FILLINGS
};

/* What differs from one layout to the next, since the cost depends on the place of the code. */
struct random_branch_layout {
    size_t begin, before, after; /* offset of the code in bytes; instructions before and after the branch */
};

/* Draws a layout at random. */
struct random_branch_layout random_branch_layout(struct probe *p);
/*
 * Makes the kernel of that kind of branch, filling and layout; its unit is an iteration, which executes the branch
 * once. random: the branch goes by the random bit; else always the same way. state: the address at which the random
 * generator's state is kept (lib/kernels/chance.h). False: the probe has ended.
 */
bool random_branch_build(struct probe *p, enum random_branch_kind kind, enum random_branch_filling filling,
                         const struct random_branch_layout *l, bool random, uint64_t state, struct kernel *k);

#endif
