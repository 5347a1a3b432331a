/*
 * Proof: what the core's performance counters say about a knee that time has shown.
 *
 * The kernel of the experiment is counted at the last good x and at the first bad one. The structure that a finding
 * names raises the events named for it there; time alone cannot distinguish it from another one.
 */
#ifndef FATHOM_LIB_PROBE_PROOF_H
#define FATHOM_LIB_PROBE_PROOF_H

#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"

enum { PROOF_NEEDS = 4, PROOF_TEXT = 160 };

/*
 * Counts up to PROOF_NEEDS events (lib/counters/events.h), `needs` ended by NULL, on both sides of a knee of the
 * sweep, and sends the table `proof`. Writes a remark for the finding into `text`, "itlb_misses 0.00, then 0.98"; an
 * empty one where nothing can be counted. False: the probe has ended.
 */
bool proof_of_knee(struct probe *p, const struct sweep *s, size_t knee, const char *const *needs,
                   char text[PROOF_TEXT]);

#endif
