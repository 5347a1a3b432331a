/*
 * Proof: what the core's performance counters say about a knee that time has shown.
 *
 * Events of the experiment's kernel are counted at the last good x and at the first bad one. If the structure that a
 * finding names overflows there, its own events increase; time alone cannot distinguish it from another structure.
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
