/*
 * Whether a core lets instructions begin before ones that come before them: out of order, or in order
 * (docs/METHODS.md, 4.12).
 *
 * Two dependency chains that have nothing to do with each other, after a fence: operations of several cycles, then
 * additions. Out of order they run at the same time. In order the first addition waits until the last operation of the
 * first chain has begun, and both times add up. The control has the same instructions interleaved, so many additions
 * behind each operation as it has cycles less one: then both chains run at the same time in either kind of core, unless
 * the core cannot deliver or execute so much at once, and the experiment shows nothing.
 *
 * The first chain is of multiplications, or of loads from the first-level cache.
 */
#ifndef FATHOM_LIB_STRUCTURE_ISSUE_ORDER_H
#define FATHOM_LIB_STRUCTURE_ISSUE_ORDER_H

#include "lib/probe/probe.h"

enum issue_order { ORDER_UNKNOWN, OUT_OF_ORDER, IN_ORDER };

struct issue_orders {
    enum issue_order order;
    bool both; /* both first chains show it */
};

/* Takes what the probe `rob` has found, or measures it. False: the probe is over. */
bool issue_order_find(struct probe *p, struct issue_orders *out);
/*
 * In a core that begins instructions in order: reports that there are 0 entries of a reorder buffer, where the probe is
 * about those, and all other findings of the probe as undecided for that reason. `both`: as in struct issue_orders.
 */
void issue_order_report_none(struct probe *p, bool both);

#endif
