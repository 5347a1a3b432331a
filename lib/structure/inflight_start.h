/*
 * Preparing the long-latency operations of an instruction-window experiment (docs/METHODS.md, 4.12): rings of lines at
 * the right distance from the core, chains long enough, and the control that shows whether two of a kind overlap.
 */
#ifndef FATHOM_LIB_STRUCTURE_INFLIGHT_START_H
#define FATHOM_LIB_STRUCTURE_INFLIGHT_START_H

#include "lib/probe/probe.h"
#include "lib/structure/inflight.h"

/*
 * Prepares *l for experiments on the instruction window: maps and links the rings, chooses how many steps each kind of
 * long-latency operation has, and measures whether two operations of a kind overlap. A kind whose iteration with two
 * independent operations is hardly shorter than with one dependency chain of both, or has no reading, gets
 * REASON_NO_OVERLAP in l->unusable (square roots on a core that takes one at a time). On simulated cores chains of
 * loads are left out, with REASON_TOO_LONG_TO_SIMULATE. In a smoke run all others are usable.
 *
 * Where the core executes in order (issue_order.h) there is nothing to measure: all findings of the probe are reported
 * by issue_order_report_none. False: that was so, or the probe has ended otherwise.
 */
bool inflight_start(struct probe *p, struct inflight *l);
/*
 * Measures the cycles of an iteration whose two operations of that kind form one dependency chain, so that they cannot
 * overlap; for misses the mean over both rings, since the lines of one may be farther away. NaN where no reading was
 * accepted. False: the probe is over.
 */
bool inflight_chained_cycles(struct probe *p, const struct inflight *l, enum long_op kind, double *cycles);

#endif
