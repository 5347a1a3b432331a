/*
 * Groups: a core may take several instructions into its reorder buffer together, or none of them (docs/METHODS.md,
 * 4.13).
 */
#ifndef FATHOM_LIB_STRUCTURE_INFLIGHT_GROUP_H
#define FATHOM_LIB_STRUCTURE_INFLIGHT_GROUP_H

#include "lib/probe/probe.h"
#include "lib/structure/inflight.h"

/*
 * Sets fits[n] to how many of these fillers fit between two misses when n instructions stand before the first one, for
 * n from 0 to INFLIGHT_SHIFTS - 1: each of these moves the begin of all groups by one instruction. The instructions are
 * NOPs, of the kind that the fillers are if these are NOPs, since short NOPs may share entries of the reorder buffer
 * and long ones may not. `about`: how many fit, give or take a group. fits[n] is NaN where that is not decided, in a
 * smoke run all but the first; all are NaN where misses do not overlap on this core, it lacks a filler, or `about` is
 * no more than four times INFLIGHT_GROUP. False: the probe is over.
 */
bool inflight_group_shifts(struct probe *p, const struct inflight *l, const char *const fillers[INFLIGHT_KINDS],
                           double about, double fits[INFLIGHT_SHIFTS]);

#endif
