/*
 * Whether a core executes out of order or in order (docs/METHODS.md, 4.12).
 *
 * After a fence come two independent dependency chains: first one of operations of several cycles, then one of
 * additions. Out of order they run at the same time. In order the first addition waits until the last operation of the
 * first chain has begun, and the times add up. The control has the same instructions interleaved: each operation is
 * followed by as many additions as its latency has cycles, less one. Then both chains run at the same time in order as
 * well. If they do not, the core is too narrow for both, and the experiment shows nothing.
 *
 * The first chain consists of multiplications, or of loads from the first-level cache; each kind is an experiment.
 */
#ifndef FATHOM_LIB_STRUCTURE_ISSUE_ORDER_H
#define FATHOM_LIB_STRUCTURE_ISSUE_ORDER_H

#include "lib/probe/probe.h"

enum issue_order { ORDER_UNKNOWN, OUT_OF_ORDER, IN_ORDER };

struct issue_orders {
    enum issue_order order;
    bool both; /* measured, and multiplications and loads agree */
};

/*
 * Sets out->order: as the finding backend.rob.entries of this run has it (0: in order), else by measuring.
 * ORDER_UNKNOWN where the measurement shows nothing, its two kinds contradict each other, or the run is a smoke run.
 * False: the probe is over.
 */
bool issue_order_find(struct probe *p, struct issue_orders *out);
/*
 * For a core that executes in order: reports the probe's findings. backend.rob.entries, if it is among them, is 0, with
 * grade B if `both` (struct issue_orders), else C; all others are undecided with the reason in-order.
 */
void issue_order_report_none(struct probe *p, bool both);

#endif
