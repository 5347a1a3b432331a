/*
 * Branches between long-latency operations (lib/structure/inflight.h) are delivered quickly only while the branch target
 * buffer holds their targets. With more of them delivery takes longer than what is measured, so that the curve rises for
 * another reason than a full structure.
 */
#ifndef FATHOM_LIB_STRUCTURE_INFLIGHT_TARGETS_H
#define FATHOM_LIB_STRUCTURE_INFLIGHT_TARGETS_H

#include "lib/structure/inflight_measure.h"

/*
 * Lowers q->to and q->limit to numbers of the request's first filler that are delivered without such a delay. In a smoke
 * run it does nothing. False: the probe is over.
 */
bool inflight_targets_range(struct probe *p, struct inflight_request *q);
/* A control of struct inflight_request: rejects a knee that the same branches show without long-latency operations. */
bool inflight_targets_reject(struct probe *p, const void *context, const struct inflight_experiment *e,
                             struct verdict *v);

#endif
