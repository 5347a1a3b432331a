/*
 * Sets of a conditional predictor's table: a loop in which a branch goes by a history that is drawn from a list, and
 * differs from the others of the list only in branches so far back that one table alone sees them.
 *
 *     draw     an entry of the list, at random: one bit for each bearer, and the direction of the probe branch
 *     reset    conditional branches that are always taken: they push what was drawn before out of the history
 *     bearers  pairs of conditional branches with one target, of which one or the other is taken, by a bit of the entry
 *     dummies  conditional branches that are always taken: each moves the bearers on in the history
 *     probe    a conditional branch in the direction of the entry, or one of two at chosen addresses
 *              (lib/kernels/table_branches.h)
 *
 * One of the two branches of a bearer is always taken, so that histories differ only in what the addresses of these two
 * leave in them.
 *
 * Method: docs/METHODS.md, 5.19.
 */
#ifndef FATHOM_LIB_KERNELS_TABLE_SET_H
#define FATHOM_LIB_KERNELS_TABLE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/kernels/branch_history.h"
#include "lib/kernels/table_branches.h"
#include "lib/probe/probe.h"

/* An entry of the list: bits from 0 on for the bearers, the earliest first, and the direction. */
#define TABLE_TAKEN (UINT64_C(1) << 63)
/* … and whether it is the branch at the other place that is executed. */
#define TABLE_SECOND_PLACE (UINT64_C(1) << 62)

struct table_set {
    uintptr_t state;  /* address at which the generator's state is kept, lib/kernels/chance.h */
    uintptr_t list;   /* address of the list */
    unsigned entries; /* of the list */
    uint64_t layout;  /* bearers' addresses are drawn from it */
    unsigned reset, bearers, dummies;
    const struct branch_places *places; /* of two branches; NULL: there is one, at the end of the dummies */
};

/*
 * Makes the kernel, whose probe branch goes by `goes`; its unit is an iteration. It replaces the kernel that was built
 * before. False: the probe has ended.
 */
bool table_set_build(struct probe *p, const struct table_set *t, enum history_probe goes, struct kernel *k);

#endif
