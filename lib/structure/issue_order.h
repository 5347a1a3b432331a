/*
 * Whether a core executes out of order or in order (docs/METHODS.md, 4.12).
 *
 * After a fence come two independent dependency chains, each of eight operations of several cycles. Out of order they
 * run at the same time. In order the second chain's first operation waits until the last one of the first chain has
 * begun, and the times add up. The control has the operations of both chains interleaved: then they run at the same time
 * in order as well. If they do not, since a unit takes one operation at a time, the experiment shows nothing.
 *
 * The operations are multiplications, or loads from the first-level cache; each kind is an experiment. Both chains are
 * of one kind: of operations of one cycle there would be so many that a core which delivers or retires one or two
 * instructions a cycle has no time left for them at the end of the first chain.
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
