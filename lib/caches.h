/*
 * Data caches as a pointer chase over a growing footprint shows them, with pages of one size: what each level holds and
 * how long a load from it takes. One pointer a line, every line used, so that no set is favoured; two orders:
 *
 *   groups   random among the lines of a group of 16 pages, then on to the next group: local enough
 *            that the TLB does not hide the caches; prefetchers might follow it
 *   whole    random over the whole footprint: nothing can follow it, but the TLB may be its limit
 *
 * Curve: cycles per load over footprint. A staircase: flat at each level's load-to-use latency, rising
 * where the footprint leaves the level. A level's capacity is the last footprint on its flat.
 *
 * The first level is indexed by address bits below the page. The next ones are indexed by frame: where
 * frames are not contiguous, as in a process, their edge is a ramp and the capacity half way up.
 *
 * Method: random chase of one line each, Sattolo cycle; groups as Zen-class and Arm cores need them.
 */
#ifndef FATHOM_LIB_CACHES_H
#define FATHOM_LIB_CACHES_H

#include "lib/sweep.h"
#include "lib/kernels/chase.h"

enum { CACHE_LEVELS = 4, CACHE_GRAIN_BYTES = 1024 };

struct caches {
    struct chase chase;
    const char *page; /* the variant `page` of what is found; NULL: without one */
    double most;      /* bytes, the longest footprint */
    double seconds;   /* for each order, … */
    unsigned samples; /* … and how many; 0: as many as a sweep may */
};

/* What a level is known to hold, in bytes; 0: nothing is. */
double caches_known(const struct probe *p, unsigned level);
/* The longest footprint of this profile for which the place has memory, in bytes. */
double caches_footprint(const struct probe *p);
/* Searches both orders and reports levels, and what lies behind the largest cache. */
bool caches_levels(struct probe *p, struct caches *c);
/* Makes the chase over that many bytes in the second order. */
bool caches_whole(struct probe *p, const struct chase *chase, double footprint_bytes, struct kernel *k);

#endif
