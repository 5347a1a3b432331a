/*
 * Which knee of a curve over the footprint of code is the instruction cache's, where operation caches, the second level
 * and instruction TLBs make others (docs/METHODS.md, 5.7).
 */
#ifndef FATHOM_LIB_STRUCTURE_L1I_KNEE_H
#define FATHOM_LIB_STRUCTURE_L1I_KNEE_H

#include "lib/base/reason.h"
#include "lib/knee/knee.h"
#include "lib/probe/probe.h"

enum { L1I_GRAIN_BYTES = 1024 /* the step of footprints */ };

/* The last knee that is neither the second level's nor a TLB's; v->count without one. */
size_t l1i_last_knee(const struct probe *p, const struct verdict *v);
/*
 * Which knee of the mispredicted curve *v is the instruction cache's: the last one that is not the second level's or a
 * TLB's. Straight code may lack it, where decoders are slower than the second level; then it counts only if it comes
 * too early for the second level. v->count: none. *why: REASON_ITLB_LIMIT if there are several, straight code has one,
 * and the reach of the TLBs is not known; REASON_LEVEL_NOT_KNOWN if the second level's size is not; else REASON_NONE.
 */
size_t l1i_knee(const struct probe *p, const struct verdict *v, const struct verdict *straight, enum reason *why);

#endif
