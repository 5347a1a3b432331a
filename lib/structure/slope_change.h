/*
 * Slope change: the end of a level that the curve leaves before it has finished rising to it.
 *
 * A structure may overflow little by little, for example one with many hashed sets or with random replacement. The
 * curve then rises slowly to the cost of the next structure. If that one is only twice as large, it overflows in turn
 * before the curve has reached a level that shows it. What remains visible is a rise that becomes steeper. By itself a
 * rise never becomes steeper once it has begun, because the share of misses grows less with each further neighbour.
 *
 *       _____            _______
 *      /                /
 *     /    instead of  /    expected: the slope change is the end of a level between the two
 *    |            ___--
 *   _|           _
 *
 * The last rise of a curve is searched again if it is wide enough to hide a level: from where it is higher than the
 * level before it by the least cost of a level, to half of its height. A line that becomes steeper there (KNEE_SLOPE)
 * is a slope change.
 *
 * The height of a slope change identifies no level, since the rise before it is part of that height. So the slope
 * changes of all strides of a family are taken to be on one level, and their counts must be one capacity and its
 * halves, as in lib/structure/stride_family.h. That is one experiment with an assumption about rises: never better than
 * grade C.
 *
 * Method: docs/METHODS.md, 4.4.
 */
#ifndef FATHOM_LIB_STRUCTURE_SLOPE_CHANGE_H
#define FATHOM_LIB_STRUCTURE_SLOPE_CHANGE_H

#include <stdbool.h>

#include "lib/knee/search.h"
#include "lib/structure/stride_family.h"

/*
 * Sets *from and *to to the range of x in which a level may hide in the last rise of a curve that was searched for
 * KNEE_STEP. `least`: by how much a level costs more than the one before it, at least, in the unit of y. False where no
 * level can hide there, or the curve is undecided.
 */
bool slope_change_range(const struct search *curve, double least, double *from, double *to);

/*
 * Turns the verdict of a KNEE_SLOPE search of the range of slope_change_range into one of KNEE_STEP, as a stride family
 * needs it: one level that ends at the slope change, and one after it up to `reached`, the last x of the whole curve.
 * Their heights are set to 1 and 2 in all curves, so that the family takes the levels of all strides for the same ones.
 * A verdict without a slope change is copied.
 */
void slope_change_verdict(const struct verdict *slope, double reached, struct verdict *out);

/*
 * Decides what the level holds that slope changes end, from a stride family whose verdicts slope_change_verdict made;
 * curves[i] is the verdict on the whole curve of member i. Stores that in *out: its first level has grade C at best.
 *
 * It is undecided (grade U) with the reason no-halving unless the counts halve at strides longer than those that agree:
 * neighbours that conflict in one set change the slope as well, and counts that do not halve may be due to that. It is
 * undecided with strides-end if a smaller stride has no known slope change and its curve has not reached half of its
 * last rise at twice the count: it might hold twice as many.
 */
void slope_change_decide(const struct stride_family *slopes, const struct verdict *const curves[],
                         struct stride_verdict *out);

#endif
