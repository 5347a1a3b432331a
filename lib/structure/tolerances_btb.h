/*
 * Tolerances of the branch target buffer methods (docs/METHODS.md, 4.7 and 5.1): what each one means, its unit, and
 * where its value comes from. "chosen" is a choice that no calculation gives; its reason follows.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_BTB_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_BTB_H

/* ---- Mismatch of an organisation (btb_mismatch.c, btb_search.c) ----------------------------------- */

/*
 * Standard deviations by which chi-square, or any single point, may exceed its expectation: 6e-7 of normal noise does.
 */
static const double BTB_SIGMAS = 5;
/*
 * Chi-square by which a survivor may exceed the best organisation: BTB_SIGMAS squared, a likelihood ratio of 5 sigma.
 */
static const double BTB_SURVIVES = 25;
/* Ratio of the costs of a level and of the one before it, at least: less is one level, as for heights of all curves. */
static const double BTB_COST_RATIO = 1.05;
/* Branch sequences' worth of hits that the points of one stride need to show a level. Chosen: half a sequence. */
static const double BTB_SHOWS = 0.5;
/* Branch sequences' worth of hits or misses below which a cost is not fitted. Chosen: smaller shares amplify noise. */
static const double BTB_SEEN = 0.01;
/*
 * Pivot of a group's normal equations, as a part of the diagonal before elimination, at most, that is nothing but
 * rounding: doubles have 2e-16, and elimination loses some digits.
 * no test: moved by 3 it lies between the same numbers.
 */
static const double BTB_PIVOT_LEAST = 1e-12;

/* Scatter of points on one plateau, as a part of their cost, that repetition does not show. Chosen: one percent. */
static const double BTB_SCATTER = 0.01;
/*
 * Deviation of one stride's cost of a hit from its pattern's, as a part: Neoverse N1 takes 2, 2.5 or 2.75 (jia.je
 * 2025).
 */
static const double BTB_HIT_SPREAD = 0.1;
/* The same of a miss. Chosen: twice that of a hit, since fetching and decoding take part. */
static const double BTB_MISS_SPREAD = 0.2;
/* The scatter where replacement may be any: a level may slope evenly by BTB_COST_RATIO - 1, divided by sqrt(3). */
static const double BTB_SCATTER_ANY = 0.02886751358562927;
/*
 * BTB_HIT_SPREAD where replacement may be any. On a Raptor Cove a hit of the last level costs 5 cycles at a stride of 8
 * bytes, 4 at 16, and 3.2 beyond.
 */
static const double BTB_HIT_SPREAD_ANY = 0.2;
/* BTB_MISS_SPREAD where replacement may be any. Chosen: twice that of a hit. */
static const double BTB_MISS_SPREAD_ANY = 0.4;

/* ---- Search for pairs of levels (btb_search.c) ---------------------------------------------------- */

/* Ratio of the longest sequences that two levels hold, at least; less is a slope change in one level's end. Chosen. */
static const double BTB_LEVELS_APART = 1.5;
/* Points that are needed to decide anything: more than the costs of two levels in two patterns. Chosen. */
enum { BTB_POINTS_LEAST = 12 };

/* ---- The next sequence (btb_design.c) --------------------------------------------------------------- */

/* Part of a known footprint from which on a sequence is left out: the loop's own code is in that structure as well. */
static const double BTB_FOOTPRINT_FULL = 0.85;
/*
 * How much less a hit in a level costs than a miss, as a part of the miss's cost, where neither cost is known yet.
 * Chosen: a miss costs twice as much as a hit.
 */
static const double BTB_CONTRAST_UNKNOWN = 0.5;

/* ---- Levels of a pattern (btb_levels.c) -------------------------------------------------------------- */

/* Cycles by which a branch costs more on the next level, at least. Smaller steps are the operation cache's (Zen 4). */
static const double BTB_STEP_CYCLES = 0.4;
/* Part of the border between the two ranges up to which a level belongs to the shorter one: ramps begin early. */
static const double BTB_BORDER_PART = 0.95;
/* Cost of few branches, as a part of the first level's, below which there must be a level before that. Chosen. */
static const double BTB_HIDDEN_PART = 0.75;
/*
 * Cost of a branch, relative to the median of the points before the end, up to which a level is not left yet; measured
 * on Zen 4, where it is 1.005 with 3101 branches and 1.02 with 3170 while 3072 are held.
 */
static const double BTB_RAMP_COST = 1.005;
/* Lower end of the points of that median, as a part of the level's end. Chosen: near the end, and enough points. */
static const double BTB_RAMP_FROM = 0.75;
/* Upper end of the points of that median, as a part of the level's end. Chosen: before a ramp begins. */
static const double BTB_RAMP_TO = 0.95;
/* As BTB_RAMP_COST, but relative to the least of these points: below that, the level is certainly not left. */
static const double BTB_RAMP_COST_CERTAIN = 1.002;
/* Standard error of calibrated time, as a part: no repetition makes it better. */
static const double BTB_CALIBRATION = 0.01;

/* ---- Cost of single counts (branch_cost.c) --------------------------------------------------------- */

/* Relative difference of the cost of one more branch by the first 8 more and by the next 8, at most. Chosen. */
static const double BRANCH_COST_ALIKE = 0.1;
/*
 * Cost of a branch, relative to that of few, behind the end of the first level. Chosen: the next level costs half more.
 */
static const double BRANCH_COST_RISES = 1.25;
/* Ratio of the counts between which that end lies when bisection stops. */
static const double BRANCH_COST_CLOSE = 1.02;

/* Relative standard error of a sequence that the fit asks for: three samples of calibrated time. Chosen. */
static const double BTB_SEQUENCE_ERROR = 0.02;

/* ---- Origin of redirects (btb_fallback.c) ----------------------------------------------------------- */

/* Relative difference of the costs of half and of all branches that are both far past the last level. Chosen. */
static const double BTB_FALLBACK_FLAT = 0.1;
/* Part of the time of NOPs by which a branch may become slower where its cost hides them. Chosen: below a third. */
static const double BTB_FALLBACK_HIDDEN = 0.3;
/* Part by which it must become slower where their time is added to its cost. Chosen: 1 - BTB_FALLBACK_HIDDEN. */
static const double BTB_FALLBACK_ADDED = 0.7;
/*
 * The least time that the NOPs between branches may add, relative to the cost of a branch without NOPs, for a
 * difference to be measurable. Chosen: five times the scatter of points (BTB_SCATTER).
 */
static const double BTB_FALLBACK_SEEN = 0.05;

/* ---- Number of a level (btb_report.c) --------------------------------------------------------------- */

/*
 * Relative difference up to which the capacity of a fitted organisation and that of a level measured before count as
 * one and the same level. Chosen.
 */
static const double BTB_SAME_CAPACITY = 0.1;

#endif
