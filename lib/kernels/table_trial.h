/*
 * Tables of a conditional predictor: a loop in which one bit of chance has to be read from a chosen place of the branch
 * history, by one branch out of several at chosen addresses.
 *
 *     chance   jumps to one of many places, and branches in directions, drawn at random: no table that looks farther
 *              back than the bearer learns anything (where h->random)
 *     bearer   a taken conditional branch, and one that is taken or not by the drawn bit
 *     dummies  conditional branches that are always taken: each moves the bearer's bit on in the history
 *     router   an indirect jump to one of the probe branches, drawn at random (where h->count)
 *     probe    conditional branches at chosen addresses, which go by the drawn bit or against it
 *
 * The bearer's addresses, and those of the branch before it, are drawn from h->layout, since only some of their bits
 * are left at the oldest place of a history. Without a bearer (h->biased) a probe branch goes one way in fifteen of
 * sixteen cases: what a table learns that knows the branch alone.
 *
 * Addresses of probe branches are XORed with chosen bits. Bits below PAGE_BITS are chosen within a page; of higher ones
 * at most one is inverted, and with it the highest bit of the block, which separates code that would overlap. A branch
 * is known by its last byte on x86-64 and by its first one on AArch64, as for the history (lib/kernels/history_paths.h).
 *
 * Method: docs/METHODS.md, 5.14.
 */
#ifndef FATHOM_LIB_KERNELS_TABLE_TRIAL_H
#define FATHOM_LIB_KERNELS_TABLE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/kernels/branch_history.h"
#include "lib/kernels/code_block.h"
#include "lib/probe/probe.h"

enum {
    TABLE_PROBES = 32,    /* probe branches of a trial, at most */
    TABLE_PAGE_BITS = 12, /* address bits that are chosen within a page */
    TABLE_FREE_FIRST = 6, /* probe branches in one page differ in bits from this one on: a place takes 64 bytes, … */
    TABLE_FREE_LAST = 10, /* … up to this one: the other half of the page has room for what crosses the border */
    TABLE_STATE_BYTES = 4096, /* of h->state */
    TABLE_DUMMIES = 640       /* at most; Zen 4's history spans 540 */
};

struct table_trial {
    const struct code_block *room;
    const struct area *state; /* TABLE_STATE_BYTES: the generator's state, and addresses of probe branches */
    uint64_t layout;
    unsigned dummies;
    bool random, biased;
    unsigned count; /* probe branches behind the router; 0: one, without a router */
    struct {
        uint64_t inverted; /* bits of its address, besides the highest of the block */
        bool separate;     /* that one, too */
        bool opposite;     /* it goes the other way */
    } probes[TABLE_PROBES];
};

/* Maps a block. NULL, or why it cannot be mapped; code_block_unmap follows in either case. */
const char *table_room_map(struct code_block *r, unsigned highest);
/* Makes the kernel, whose probe branches go by `goes`; its unit is an iteration. False: the probe has ended. */
bool table_trial_build(struct probe *p, const struct table_trial *t, enum history_probe goes, struct kernel *k);

#endif
