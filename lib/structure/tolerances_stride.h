/*
 * Tolerances of stride families (docs/METHODS.md, 4.2) and slope changes (4.4): what each one means, its unit, and
 * where its value comes from. "chosen" is a choice that no calculation gives; its reason follows.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_STRIDE_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_STRIDE_H

/* Relative difference of the heights of one level at two strides, at most. Two levels cost at least as much more. */
static const double STRIDE_SAME_HEIGHT = 0.05;
/*
 * Ratio of strides over which a constant count excludes conflicts: twice that many neighbours to a set; no set has 32
 * ways.
 */
static const double STRIDE_NO_CONFLICT = 16;
/* Part of a footprint from which on it may be full: an instruction cache also holds the loop around the branches. */
static const double STRIDE_FOOTPRINT_FROM = 0.85;
/* Part up to which it may be: more does not fit, but for the step of the count. */
static const double STRIDE_FOOTPRINT_TO = 1.02;
/* Steps that a count needs to show a half of itself. Chosen: half of fewer is within one step of other ratios. */
static const double STRIDE_STEPS_LEAST = 4;
/* Ratio from which on a smaller count is taken for one halving more: half way between one and two. */
static const double STRIDE_HALVING = 1.5;
/* Strides at a single set that make it certain; two might be separated by an address bit that the index leaves out. */
enum { STRIDE_SINGLE_SET_SURE = 3 };
/* Halvings that make unreached sets certain; one also appears where two neighbours in one entry are separated. */
enum { STRIDE_HALVINGS_SURE = 2 };

#endif
