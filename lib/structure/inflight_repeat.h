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
 * Checks each result with a few numbers: fillers behind the knee must still be slow, those below still fast. A result
 * that fails, because more or fewer fit now or because it contradicts itself, is measured again. Of both the one with
 * more fillers is kept, if it was found twice; the other one widens the interval of the finding. More than usual may be
 * free for a while as well (measured on Zen 4: 51 mask registers for a second or less, in one run of twenty, and 45
 * otherwise, since the sibling may have slept deeply enough to occupy none): that is hardly found twice. False: the
 * probe is over.
 */
bool inflight_repeat(struct probe *p, struct inflight_result *results, size_t count);

/* Calls inflight_repeat INFLIGHT_REPEATS times. */
bool inflight_repeat_all(struct probe *p, struct inflight_result *results, size_t count);

#endif
