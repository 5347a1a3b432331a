/*
 * Indirect jumps: n of them, each with t targets of its own that it takes in an order drawn at random, all of them once
 * in a pass, and pass after pass in the same order. The address of the next target comes from a list, whose loads wait
 * for no jump. From each target a taken conditional branch leads to the next of the n jumps, because conditional
 * branches enter the history of every predictor in scope; that of Zen 4 contains neither unconditional nor indirect
 * ones.
 *
 * Each target is at a random offset in a slot of its own, since some cores use only some bits of an address in their
 * history (measured on Zen 4: at regular distances it predicts a third of its targets, or all, depending on the
 * distance).
 *
 * Two kernels for comparison: direct jumps from target to target in the same order, and targets drawn at random all the
 * time, which no predictor knows.
 *
 * Method: docs/METHODS.md, 5.5.
 */
#ifndef FATHOM_LIB_KERNELS_INDIRECT_JUMPS_H
#define FATHOM_LIB_KERNELS_INDIRECT_JUMPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/probe/probe.h"

enum indirect_kind { INDIRECT_IN_ORDER, INDIRECT_DIRECT, INDIRECT_AT_RANDOM };

enum {
    INDIRECT_TARGETS = 4096,  /* of all jumps together, at most */
    INDIRECT_STEPS = 16384,   /* jumps of a pass at random: more than any predictor learns */
    INDIRECT_SMOKE_STEPS = 64 /* jumps of such a pass in the profile smoke */
};

struct indirect_jumps {
    size_t branches;                      /* n */
    size_t slack_bytes;                   /* of a slot, among which its target begins */
    struct area list;                     /* INDIRECT_STEPS addresses */
    uint32_t order[INDIRECT_TARGETS + 1]; /* targets in the order of a pass, the first one again at the end */
    uint32_t next[INDIRECT_TARGETS]; /* by target: which one follows. Number t * n + b is the t-th target of jump b */
};

/*
 * Makes the kernel of that kind with `targets` targets for each of j->branches jumps, INDIRECT_TARGETS in all at most,
 * in an order that is drawn anew. An iteration is a pass over all targets, or over INDIRECT_STEPS jumps at random; the
 * unit is a jump. Direct jumps load the next target as well, without using it. j->list must be mapped. False: the probe
 * has ended.
 */
bool indirect_jumps_build(struct probe *p, struct indirect_jumps *j, size_t targets, enum indirect_kind kind,
                          struct kernel *k);

#endif
