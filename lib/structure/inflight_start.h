/*
 * Preparing the long-latency operations of an instruction-window experiment (docs/METHODS.md, 4.12): rings of lines at
 * the right distance from the core, chains long enough, and the control that shows whether two of a kind overlap.
 */
#ifndef FATHOM_LIB_STRUCTURE_INFLIGHT_START_H
#define FATHOM_LIB_STRUCTURE_INFLIGHT_START_H

#include "lib/probe/probe.h"
#include "lib/structure/inflight.h"

/*
 * Determines whether the core executes in order (issue_order.h): then there is nothing to measure, all findings of the
 * probe are reported (issue_order_report_none), and the probe is over. Otherwise maps and links the rings, chooses how
 * many steps each kind of operation has, and measures whether two of them overlap: a kind that is hardly faster as two
 * independent chains than as one dependency chain gets REASON_NO_OVERLAP in `unusable` (square roots on a core that
 * takes one at a time). False: the probe is over.
 */
bool inflight_start(struct probe *p, struct inflight *l);
/*
 * Measures the cycles of an iteration whose two operations are one dependency chain: for misses the mean of both rings,
 * since the lines of one may be farther away. NaN where no reading was accepted. False: the probe is over.
 */
bool inflight_chained_cycles(struct probe *p, const struct inflight *l, enum long_op kind, double *cycles);

#endif
