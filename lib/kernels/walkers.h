/*
 * Walkers on one ring of lines: k pointer chases at once, as far apart from each other on the ring as can be, so that
 * none finds a line that another one brought. A round is a step of each walker: it loads the address where it is, loads
 * from there where to go on, and stores that.
 *
 * Method: docs/METHODS.md, 7.14.
 */
#ifndef FATHOM_LIB_KERNELS_WALKERS_H
#define FATHOM_LIB_KERNELS_WALKERS_H

#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"

struct walkers {
    struct pointer_chase chase; /* the ring; its start page holds where each walker, or the single chase, is */
    size_t lines;               /* of the ring, as linked last */
    uint32_t *order;            /* the number of each line, in the order of the walk */
};

/*
 * Maps a ring of `bytes` and places for `most` walkers. *w must begin as zeros; the caller frees `order`. False when
 * the probe is over.
 */
bool walkers_map(struct probe *p, struct walkers *w, size_t bytes, size_t most);
/* Links the first `lines` lines to a ring, in random order within groups of `group` lines. */
void walkers_link(struct probe *p, struct walkers *w, size_t lines, size_t group);
/*
 * Makes the kernel of so many walkers on the ring linked last, for a sweep whose context is struct walkers; its unit is
 * a round. False: the probe is over.
 */
bool walkers_build(struct probe *p, double walkers, void *context, struct kernel *k);
/*
 * Makes the kernel of a single pointer chase over the ring, for sample_cycles; its context is struct walkers, its unit
 * a load. False: the probe is over.
 */
bool walkers_build_chase(struct probe *p, void *context, struct kernel *k);

#endif
