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
 * The range of x in which a level may hide in the last rise of a curve that was searched for KNEE_STEP. `least`: the
 * least that a level costs more than the one before it, in the unit of y. False where no level can hide, or the curve
 * is undecided.
 */
bool slope_change_range(const struct search *curve, double least, double *from, double *to);

/*
 * Turns the verdict of a KNEE_SLOPE search of that range into one of KNEE_STEP, as a family needs it: a level that ends
 * at the slope change, and one behind it up to `reached`, the last x of the whole curve. Their heights are 1 and 2 for
 * all curves, so that the family takes them for the same level.
 */
void slope_change_verdict(const struct verdict *slope, double reached, struct verdict *out);

/*
 * Decides on the first level of a family of such verdicts; curves[i] is the verdict on member i's whole curve. The
 * counts must halve behind the strides that agree, because conflicts change the slope as well, else U with no-halving.
 * A smaller stride without a known slope change may hold twice as much unless its curve is half way up before that: U
 * with strides-end.
 */
void slope_change_decide(const struct stride_family *slopes, const struct verdict *const curves[],
                         struct stride_verdict *out);

#endif
