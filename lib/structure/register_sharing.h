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
 * Measures pairs of classes of which `a`, `b` and `about` are set; the first pair is whole general registers and
 * halves. Pairs with a filler that this core lacks get no trials. False: the probe is over.
 */
bool register_sharing_find(struct probe *p, const struct inflight_limits *l, struct sharing *pairs, size_t count);
/*
 * What a half takes, by that first pair: "whole" a register, half of one ("packed"), or one "apart"; NULL: not decided.
 */
const char *register_sharing_halves(const struct sharing *pair);
/*
 * Reports backend.registers.shared for each pair, backend.registers.halves, and the table. "Shared" is
 * withdrawn where as many of both classes as of one alone may fit for want of renames, or of entries of the reorder
 * buffer; `writers`: the most writers that were in flight. "Overlapping" is undecided.
 */
void register_sharing_report(struct probe *p, const struct inflight_limits *l, double writers, struct sharing *pairs,
                             size_t count);

#endif
