/*
 * Which step of a curve over places that are some distance apart is the instruction cache's, where an operation cache
 * and the second level make steps, too (docs/METHODS.md, 5.8).
 */
#ifndef FATHOM_LIB_STRUCTURE_SET_STEPS_H
#define FATHOM_LIB_STRUCTURE_SET_STEPS_H

#include "lib/probe/sweep.h"

/*
 * Sets chosen[i] to the sweep that counts for distance bytes[i], all[i] or behind[i], with the step that counts as its
 * first one. Where the sets of a way span some distance, so many places fit: the capacity by the distance between
 * places, or by that span where it is less. Of all spans the one counts for which the most distances have that step.
 * Where two are as good, at distances that have no such step, and where the capacity is not known (NaN), the last step
 * of `behind` counts, or of `all` where that has none. chosen[i] must not be freed.
 */
void set_steps_choose(double capacity, const struct sweep *all, const struct sweep *behind, const size_t *bytes,
                      size_t count, struct sweep *chosen);

#endif
