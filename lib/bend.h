/*
 * Bend: a level that is left before the rise to it has ended.
 *
 * Where a structure overflows little by little, as one of many hashed sets does, or one that replaces at random, the curve
 * rises slowly to what the next structure costs. If that one is only twice as large, it overflows in turn before the
 * curve has come to a level that shows it. What shows is a bend: a rise that becomes steeper. By itself no rise does so
 * once it has begun, as the share of misses grows less and less with each neighbour more.
 *
 *       _____            _______
 *      /                /
 *     /       where    /   is expected: the bend is the end of a level between them
 *    |            ___--
 *   _|           _
 *
 * A rise that is wide enough to hide a level is looked at once more: where it is higher than the level before it by what a
 * level costs more at least, and not yet half way up. A line that becomes steeper there is a bend (KNEE_SLOPE).
 *
 * How high it lies tells nothing, as the rise before is part of it. So curves of one family are taken together as if
 * all bends were on one level; what they hold must then be one capacity and its halves, as lib/family.h has it. That is
 * one experiment, with an assumption about rises: no surer than grade C.
 */
#ifndef FATHOM_LIB_BEND_H
#define FATHOM_LIB_BEND_H

#include <stdbool.h>

#include "lib/family.h"
#include "lib/engine/search.h"

/*
 * Between which x a level may hide in the last rise of a curve that was searched for KNEE_STEP, if it costs `least` more
 * than the level before it. False where none can, or nothing is known of the curve.
 */
bool bend_range(const struct search *curve, double least, double *from, double *to);

/*
 * What a search of that range for KNEE_SLOPE says, as steps have it, for a family: a level that is left at the bend, and one
 * behind it. Their heights are rungs, the same for all bends. `reached`: the last x of the whole curve.
 */
void bend_verdict(const struct verdict *slope, double reached, struct verdict *out);

/*
 * Decides about the first level of a family of bends, whose curves as a whole are `curves`. What is told must halve behind
 * the spacings that agree, as crowded sets bend, too. A smaller spacing whose bend is not known may hold twice as much,
 * unless its curve is half way up before: while one may, nothing is told.
 */
void bend_decide(const struct family *bends, const struct verdict *const curves[], struct family_verdict *out);

#endif
