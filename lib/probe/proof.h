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

/* Events that one proof counts at most, and bytes of its remark. */
enum { PROOF_NEEDS = 4, PROOF_TEXT = 160 };

/*
 * Counts up to PROOF_NEEDS events (lib/counters/events.h), `needs` ended by NULL, on both sides of the knee with the
 * index `knee` of a sweep that has been searched (of a ramp, at its end), and sends them as the table `proof`. Writes a
 * remark for the finding into `text`: "itlb_misses 0.00, then 0.98", per unit of the kernel, without the events that
 * could not be counted. It is empty, and there is no table, where the core has no counters or there is no such knee.
 * False: the probe has ended.
 */
bool proof_of_knee(struct probe *p, const struct sweep *s, size_t knee, const char *const *needs,
                   char text[PROOF_TEXT]);

#endif
