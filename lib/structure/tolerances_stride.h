/*
 * Tolerances of stride families (docs/METHODS.md, 4.2) and slope changes (4.4): what each one means, its unit, and
 * where its value comes from. "chosen" is a choice that no calculation gives; its reason follows.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_STRIDE_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_STRIDE_H

/*
 * Heights at two strides are those of one level if they differ by no more than this part: two levels differ by more.
 * Where the heights of a level spread over more than twice this part, two levels are too close to each other.
 */
static const double STRIDE_SAME_HEIGHT = 0.05;
/*
 * If the counts of entries agree at strides that differ by this factor or more, neighbours that conflict in one set are
 * not what limits them. If they were, at least two neighbours would map to one set at the longest of these strides, and
 * so at least 32 at the shortest; but no set has 32 ways.
 */
static const double STRIDE_NO_CONFLICT = 16;
/*
 * A known footprint may be full, and limit a count instead of the entries, when the count times the stride is at least
 * this part of it: an instruction cache also holds the loop around the branches.
 */
static const double STRIDE_FOOTPRINT_FROM = 0.85;
/*
 * A known footprint is not what limits a count if that times the stride exceeds this part of it: more than all does not
 * fit, but for the step of the count.
 */
static const double STRIDE_FOOTPRINT_TO = 1.02;
/*
 * A count shows that it is half of another one only if it is at least so many steps. Chosen: half of fewer is within
 * one step of other ratios.
 */
static const double STRIDE_STEPS_LEAST = 4;
/* A count is taken for one halving more while the whole is more than this many times as large: half way from 1 to 2. */
static const double STRIDE_HALVING = 1.5;
/*
 * A single set is certain if so many strides show the same count; two might do so because of an address bit that the
 * index leaves out.
 */
enum { STRIDE_SINGLE_SET_SURE = 3 };
/*
 * Unreached sets are certain if the count halves so many times; one halving also appears where two neighbours that
 * share an entry are separated.
 */
enum { STRIDE_HALVINGS_SURE = 2 };

#endif
