/*
 * Tables of a conditional predictor: a loop in which a branch has to read one bit of chance from a chosen place of the
 * branch history.
 *
 *     chance   jumps to one of many places, and branches in directions, drawn at random: no table that looks farther
 *              back than the bearer learns anything (where t->chance)
 *     bearer   a taken conditional branch, and one that is taken or not by a drawn bit
 *     dummies  conditional branches that are always taken: each moves the bearer on in the history
 *     probe    a conditional branch by the drawn bit
 *
 * The bearer's addresses, and those of the branch before it, are drawn from t->layout, since only some of their bits
 * are left at the oldest place of a history.
 *
 * Method: docs/METHODS.md, 5.14.
 */
#ifndef FATHOM_LIB_KERNELS_TABLE_TRIAL_H
#define FATHOM_LIB_KERNELS_TABLE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/kernels/branch_history.h"
#include "lib/probe/probe.h"

enum { TABLE_DUMMIES = 640 /* at most; Zen 4's history spans 540 */ };

enum { TABLE_JUMP_LINES = 6 /* that a chain and a jump behind it take at most, begun ones included */ };

/* Emits a probe jump, to one of two places by the lowest bit of REG_T5 (lib/kernels/branch_history.h). */
void table_emit_jump(const struct probe *p, struct code *c);
/* Bytes from one dummy to the next: a line, or half of one where so many would fill the first instruction cache. */
size_t table_pitch(unsigned dummies);

/*
 * Emits the bearer by that bit of the number drawn last, in random places. REG_T6 must be zero; REG_T1 is overwritten.
 */
void table_emit_bearer(struct code *c, unsigned bit, uint64_t *random);

struct table_trial {
    uint64_t state; /* address at which the generator's state is kept, lib/kernels/chance.h */
    uint64_t layout;
    unsigned dummies;
    bool chance;
    unsigned mixed;         /* dummies of another kind besides, between bearer and dummies … */
    enum history_kind kind; /* … of this kind, which is not HISTORY_NOT_TAKEN */
    bool jump; /* the probe is an indirect jump to one of two places by the drawn bit; the chance, directions alone */
};

/*
 * Makes the kernel, whose probe branch goes by `goes`; its unit is an iteration. It replaces the kernel that was built
 * before. False: the probe has ended.
 */
bool table_trial_build(struct probe *p, const struct table_trial *t, enum history_probe goes, struct kernel *k);

#endif
