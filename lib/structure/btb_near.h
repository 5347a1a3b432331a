/*
 * The organisation of levels that hold few branches, from the sequences of the short range of counts (btb_levels.h),
 * which are measured once more in longer readings, and those that a fit of them asks for (btb_fit.h).
 *
 * Method: docs/METHODS.md, 5.1.
 */
#ifndef FATHOM_LIB_STRUCTURE_BTB_NEAR_H
#define FATHOM_LIB_STRUCTURE_BTB_NEAR_H

#include <stdbool.h>

#include "lib/kernels/branch_chain.h"
#include "lib/probe/probe.h"
#include "lib/structure/btb_fit.h"
#include "lib/structure/btb_levels.h"

/*
 * Fits sequences of BTB_NEAR_FROM branches up to BTB_NEAR_REACH times what the levels of `near` hold, or up to
 * BTB_LONG_FROM where that is not known, within the limits otherwise, all measured in `room`; those that the fit asks
 * for as long as `seconds` last. Stores what was decided in *result. False: the probe has ended.
 */
bool btb_near_fit(struct probe *p, const struct btb_near *near, const struct btb_limits *limits,
                  const struct branch_chain_room *room, double seconds, struct btb_fit_result *result);

#endif
