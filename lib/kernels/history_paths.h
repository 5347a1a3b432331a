/*
 * Branch history by two paths: a loop in which a bit drawn at random chooses one of two paths of taken branches whose
 * addresses and targets are chosen; after more branches, which are the same for both, a probe branch goes by that bit.
 *
 *     router   an indirect jump to the beginning of one of the two paths
 *     path     one or two conditional branches that are always taken, each from its source to its target (indirect
 *              jumps where these do not reach)
 *     back     an indirect jump from the end of either path to one place
 *     dummies  conditional branches, always taken: each shifts the history
 *     …        router, path, back and dummies once more, where two branches are to be far from each other
 *     probe    a conditional branch by the drawn bit: predicted only while the two paths leave different histories
 *
 * Both paths have equally many branches of each kind, so that only addresses distinguish them. The second path's code
 * lies where a high address bit, the separating bit, is inverted, and otherwise at the same addresses, but for the bits
 * that a trial inverts (lib/kernels/footprint_trial.h). From a target NOPs lead to the next branch. No path has a
 * conditional branch that is ever not taken, since such a branch may enter the history, too.
 *
 * Addresses are offsets in a block that is aligned to its own size. The source of a branch is the address of its last
 * byte on x86-64, where predictors use that one (Yavarzadeh et al. 2023), and of its first byte on AArch64.
 *
 *     block       pads, each with pages for sources and targets: one pad without, others with inverted bits
 *     after it    the loop, its dummies and the probe branch
 *
 * Method: docs/METHODS.md, 5.13.
 */
#ifndef FATHOM_LIB_KERNELS_HISTORY_PATHS_H
#define FATHOM_LIB_KERNELS_HISTORY_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/kernels/branch_history.h"
#include "lib/kernels/code_block.h"
#include "lib/kernels/footprint_trial.h"
#include "lib/probe/probe.h"

enum {
    PATH_PAGE_BITS = 12,       /* these address bits are those within a page */
    PATH_SEPARATORS = 2,       /* separating bits, at most */
    PATH_HIGHEST_AT_LEAST = 22 /* of the highest bit of a block */
};

struct history_paths {
    const struct code_block *room;
    struct footprint_trial trial;
    unsigned separator; /* the separating bit: 0 is the highest */
    bool indirect;      /* indirect jumps enter the history: they may stand for branches that do not reach far enough */
    uint64_t state;     /* address at which the generator's state is kept, lib/kernels/chance.h */
    uint64_t layout;    /* chooses places and lower address bits */
};

/*
 * Maps a block; its highest address bit and the one below it are the separating bits. NULL, or why it cannot be mapped;
 * code_block_unmap follows in either case.
 */
const char *path_room_map(struct code_block *r, unsigned highest);
/*
 * Whether there is code for this trial: all branches reach their targets, or h->indirect allows indirect jumps in their
 * place; then trial.between is 0 or at least 2.
 */
bool history_paths_reach(const struct history_paths *h);
/* Returns those of `bits` for which there is code that inverts that bit alone: of sources, or else of targets. */
uint64_t history_paths_reached(const struct history_paths *h, uint64_t bits, bool source);
/*
 * Makes the kernel of h->trial in h->room, in place of the one before; its probe branch goes by `goes`, its unit is an
 * iteration. False: the probe has ended.
 */
bool history_paths_build(struct probe *p, const struct history_paths *h, enum history_probe goes, struct kernel *k);

#endif
