/*
 * Data caches: capacity and load-to-use latency of each level, with pages of one size, from pointer chases over a
 * growing footprint (docs/METHODS.md, 7.1).
 *
 * Each line holds exactly one pointer: so all sets are used equally, and no load hits because an earlier one has
 * fetched the same line. Two orders differ in what could mislead them:
 *
 *   groups   random among the lines of a group of 16 pages, then the next group: local enough that the TLB does not
 *            hide the caches; prefetchers might follow it
 *   whole    random over the whole footprint, up to 8 MiB: nothing can follow it, but the TLB may be its limit
 *
 * Curve: cycles per load over footprint, a staircase: flat at each level's load-to-use latency, rising where the
 * footprint exceeds the level. A level's capacity is the last footprint on its flat. The first level is indexed by
 * address bits below the page, the next ones by frame: where frames are not contiguous, as in a process, the edge is
 * a ramp and the capacity half of the rise.
 *
 * Method: random chases over lines, Sattolo's cycle; groups as the TLBs of Zen-class and Arm cores need them.
 */
#ifndef FATHOM_LIB_STRUCTURE_CACHES_H
#define FATHOM_LIB_STRUCTURE_CACHES_H

#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"

enum {
    CACHE_LEVELS = 4,         /* at most */
    CACHE_STEP_BYTES = 1024,  /* of footprints */
    CACHE_LONGER_AT_LEAST = 2 /* footprint by a level that all of its lines have to miss, at least */
};

struct caches {
    struct pointer_chase chase;
    const char *page; /* variant `page` of the findings; NULL: none */
    double most;      /* the largest footprint, in bytes */
    double seconds;   /* for each order of each range */
    unsigned samples; /* of each order of each range, at most; 0: as the profile has it */
};

/* The capacity of a level as declared or measured, in bytes; 0: nothing is known. */
double caches_known(const struct probe *p, unsigned level);
/*
 * The largest footprint to be measured, in bytes: that of the run's profile, halved until it is at most half of the
 * memory that can be mapped.
 */
double caches_footprint(const struct probe *p);
/*
 * Searches the curves of both orders and reports capacity and latency of each level (memory.cache.*), and the latency
 * of memory. c->chase must be mapped with room for c->most bytes; its pitch is set to the length of a line. False: the
 * probe has ended.
 */
bool caches_levels(struct probe *p, struct caches *c);
/* Makes the kernel of the chase over that many bytes in random order (whole). False: the probe has ended. */
bool caches_random_order(struct probe *p, const struct pointer_chase *chase, double footprint_bytes, struct kernel *k);

#endif
