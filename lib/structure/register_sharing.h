/*
 * Which classes of registers are renamed to one file (docs/METHODS.md, 6.2 and 4.14), and what a write of half a
 * general register takes. Sharing itself is lib/structure/sharing.h; what is special of registers is that renames in
 * flight and the reorder buffer may end where a shared file would, since each writer takes one of them as well.
 */
#ifndef FATHOM_LIB_STRUCTURE_REGISTER_SHARING_H
#define FATHOM_LIB_STRUCTURE_REGISTER_SHARING_H

#include "lib/probe/probe.h"
#include "lib/structure/inflight_limit.h"
#include "lib/structure/sharing.h"

/*
 * Measures `count` pairs of classes, of which `a`, `b` and `about` are set, and decides whether each pair shares a
 * file; the first pair must be whole general registers and halves of them. A pair with a filler that this core lacks
 * stays without trials (count 0). False: the probe is over.
 */
bool register_sharing_find(struct probe *p, const struct inflight_limits *l, struct sharing *pairs, size_t count);
/*
 * Returns what a write of half a general register takes, by the pair of whole general registers and halves: "whole", a
 * register; "packed", half of one, so that two share it; "apart", an entry of another structure. NULL: not decided.
 */
const char *register_sharing_halves(const struct sharing *pair);
/*
 * Reports backend.registers.shared for each pair whose fillers the core has, and backend.registers.halves, and sends
 * the table of counts. A pair that seems shared is reported as undecided where renames in flight, or the reorder
 * buffer, may have ended at that number of instructions; writers: the most instructions that write a register that were
 * in flight at once. A pair whose files seem to overlap in part is undecided as well.
 */
void register_sharing_report(struct probe *p, const struct inflight_limits *l, double writers, struct sharing *pairs,
                             size_t count);

#endif
