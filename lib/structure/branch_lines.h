/*
 * How much code the instruction cache holds, by branch chains (lib/kernels/branch_chain.h), for experiments on branches
 * whose pages have frames of their own: there the instruction cache may be full before a branch target buffer is.
 *
 * Two chains of n branches have the same branches at the same addresses, one of them with NOPs before each branch that
 * fill the line of its target and those behind it. Branch target buffers and TLBs are asked for the same; the
 * instruction cache for all lines of the chain with NOPs, and for one in four without. Curve: cycles of a branch over n,
 * with NOPs less without. It is flat while all lines fit.
 *
 * Method: docs/METHODS.md, 5.1.
 */
#ifndef FATHOM_LIB_STRUCTURE_BRANCH_LINES_H
#define FATHOM_LIB_STRUCTURE_BRANCH_LINES_H

#include <stddef.h>

#include "lib/kernels/branch_chain.h"
#include "lib/probe/probe.h"

/*
 * Sets *bytes to what the instruction cache holds, by chains of up to `span` bytes in this room; 0: it holds all of
 * them, or a miss costs nothing that shows. False: the probe has ended.
 */
bool branch_lines_find(struct probe *p, const struct branch_chain_room *room, size_t span, double *bytes);

#endif
