/*
 * Repeated measurement of what fits in the instruction window (docs/METHODS.md, 4.12, "Time"): results are confirmed at
 * later moments, since a sibling thread that is awake for a while occupies half of a partitioned buffer, and registers,
 * though it may take no part of the width.
 */
#ifndef FATHOM_LIB_STRUCTURE_INFLIGHT_REPEAT_H
#define FATHOM_LIB_STRUCTURE_INFLIGHT_REPEAT_H

#include "lib/probe/probe.h"
#include "lib/structure/inflight_measure.h"

/* Times that inflight_repeat should be called, with some time between. */
enum { INFLIGHT_REPEATS = 4 };

/*
 * Checks `count` results with a few readings each: with a few fillers more than at the knee an iteration must still be
 * slow, with a few less still fast; what was undecided for a reason that may have passed is checked as well. A result
 * that holds gets one more in `confirmed`. One that does not is measured again, unless another one found before it
 * holds now, and of both the one found twice is kept, of two found as often the one with more fillers. The other one
 * widens the interval of the finding if it has more fillers or was found as often. (More than usual may be free for a
 * while: on Zen 4, in one run of twenty, 51 mask registers instead of 45, for a second at most. That is hardly found
 * twice.) Does nothing in a smoke run and on simulated cores. False: the probe is over.
 */
bool inflight_repeat(struct probe *p, struct inflight_result *results, size_t count);

/* Calls inflight_repeat INFLIGHT_REPEATS times. */
bool inflight_repeat_all(struct probe *p, struct inflight_result *results, size_t count);

#endif
