/*
 * Groups: a core may take several instructions into its reorder buffer together, or none of them (docs/METHODS.md,
 * 4.13).
 */
#ifndef FATHOM_LIB_STRUCTURE_INFLIGHT_GROUP_H
#define FATHOM_LIB_STRUCTURE_INFLIGHT_GROUP_H

#include "lib/probe/probe.h"
#include "lib/structure/inflight.h"

/*
 * How many of these fillers fit between two misses, with 0, 1, 2 ... 23 NOPs before the first one, which move all
 * groups by one instruction each, and with NOPs behind the second one that fill its group. Fillers that are NOPs are
 * themselves the padding: where short NOPs share entries of the reorder buffer, long ones may not. `about` is how many
 * fit, within a group. fits[n] is NaN where that is not decided, and everywhere where misses do not overlap. False: the
 * probe is over.
 */
bool inflight_group_shifts(struct probe *p, const struct inflight *l, const char *const fillers[INFLIGHT_KINDS],
                           double about, double fits[INFLIGHT_SHIFTS]);

#endif
