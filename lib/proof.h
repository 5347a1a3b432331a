/*
 * Proof: what the core's own counters say of a knee that time has shown.
 *
 * The kernel of an experiment is counted at the last good x and at the first bad one. A knee that is what the finding
 * takes it for raises the events that are named for it; time alone cannot tell who raised it.
 */
#ifndef FATHOM_LIB_PROOF_H
#define FATHOM_LIB_PROOF_H

#include "lib/sweep.h"

enum { PROOF_NEEDS = 4, PROOF_TEXT = 160 };

/*
 * How many events of a need (lib/counters/events.h) one unit of the kernel causes; NaN where this core or this place cannot
 * count it. False: the probe is over.
 */
bool probe_count(struct probe *p, const struct kernel *k, const char *need, double *per_unit);
/*
 * Counts up to PROOF_NEEDS needs, ended by NULL, on both sides of a knee of the sweep, and sends them as a `table`.
 * `text` becomes what a finding says of it, "itlb_misses 0.00, then 0.98"; empty where nothing can be counted. False:
 * the probe is over.
 */
bool proof_of_knee(struct probe *p, const struct sweep *s, size_t knee, const char *const *needs,
                   char text[PROOF_TEXT]);

#endif
