/*
 * Tolerances of the branch target buffer methods (docs/METHODS.md, 4.7 and 5.1): what each one means, its unit, and
 * where its value comes from. "chosen" is a choice that no calculation gives; its reason follows.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_BTB_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_BTB_H

/* ---- Mismatch of an organisation (btb_mismatch.c, btb_search.c) ----------------------------------- */

/*
 * An organisation does not fit if its chi-square, or the deviation of any single point, exceeds the expectation by more
 * than this many standard deviations: 6e-7 of normal noise does. A sequence can separate two organisations only if
 * their predictions for it differ by more than this many times the scatter of points.
 */
static const double BTB_SIGMAS = 5;
/*
 * An organisation survives if its chi-square exceeds that of the best one by no more than this: BTB_SIGMAS squared, the
 * likelihood ratio of a deviation of as many sigma.
 * One level explains the points as well as two, and no level as well as one, if chance explains its chi-square, and
 * that exceeds the other by no more than this.
 */
static const double BTB_SURVIVES = 25;
/*
 * A hit of the second level must cost at least this many times as much as one of the first, and so a miss: less is one
 * level, as for all curves.
 */
static const double BTB_COST_RATIO = 1.05;
/*
 * A stride shows a level if the parts of its sequences that hit in the level add up to more than this, 1 being a whole
 * sequence. Chosen: half a sequence.
 */
static const double BTB_SHOWS = 0.5;
/*
 * A cost is fitted to the points of a pattern only if the parts of their sequences that have it add up to more than
 * this, 1 being a whole sequence. Chosen: smaller parts amplify noise.
 */
static const double BTB_SEEN = 0.01;
/*
 * When the least sum of squares that a group of points can have is computed, a pivot no larger than this part of the
 * diagonal element before elimination is nothing but rounding, and its cost is left out: doubles are exact to 2e-16,
 * and elimination loses some digits. no test: moved by 3 it lies between the same numbers.
 */
static const double BTB_PIVOT_LEAST = 1e-12;

/*
 * Standard deviation by which points of one cost may differ beyond what their repetitions show, as a part of the cost.
 * Chosen: one percent.
 */
static const double BTB_SCATTER = 0.01;
/*
 * Standard deviation by which the cost of a hit at one stride may differ from that at all strides of the pattern, as a
 * part of it: a hit takes 2, 2.5 or 2.75 cycles on Neoverse N1 (jia.je 2025).
 */
static const double BTB_HIT_SPREAD = 0.1;
/* As BTB_HIT_SPREAD, of the cost of a miss. Chosen: twice that of a hit, since fetching and decoding take part. */
static const double BTB_MISS_SPREAD = 0.2;
/* BTB_SCATTER where replacement may be any: a level may slope evenly by BTB_COST_RATIO - 1, divided by sqrt(3). */
static const double BTB_SCATTER_ANY = 0.02886751358562927;
/*
 * BTB_HIT_SPREAD where replacement may be any. On a Raptor Cove a hit of the last level costs 5 cycles at a stride of 8
 * bytes, 4 at 16, and 3.2 at longer ones.
 */
static const double BTB_HIT_SPREAD_ANY = 0.2;
/* BTB_MISS_SPREAD where replacement may be any. Chosen: twice that of a hit. */
static const double BTB_MISS_SPREAD_ANY = 0.4;

/*
 * Cycles by which one turn around a chain may take longer, or shorter, than its branches: the loop's instructions stand
 * before the last of them, and are four, which at least two units execute while a branch takes one cycle.
 */
static const double BTB_LOOP_CYCLES = 1;

/* ---- Search for pairs of levels (btb_search.c) ---------------------------------------------------- */

/*
 * The second level is in doubt unless its longest sequence has at least this many times as many branches as the first
 * one's: less may be a slope change where one level ends. Chosen.
 */
static const double BTB_LEVELS_APART = 1.5;
/*
 * With fewer points nothing is decided, nor does a part of them choose classes to begin a search with: they must be
 * more than the costs of two levels in two patterns. Chosen.
 */
enum { BTB_POINTS_LEAST = 12 };

/* ---- The next sequence (btb_design.c) --------------------------------------------------------------- */

/*
 * A sequence that fills more than this part of a known footprint is not used: the loop's own code is in there as well.
 */
static const double BTB_FOOTPRINT_FULL = 0.85;
/*
 * To choose the next sequence, a hit in a level is assumed to cost this part less than what is not found in it, where
 * no pattern has both costs. Chosen: that costs twice as much as a hit.
 */
static const double BTB_CONTRAST_UNKNOWN = 0.5;

/* ---- Levels of a pattern (btb_levels.c) -------------------------------------------------------------- */

/*
 * Where a level ends, the cost of a branch rises by at least so many cycles at some stride, and a slope change lies at
 * least so much above the level before it; a level of unknown end, or one that ends at a slope change, which costs less
 * than this more than the last level reported is that level. Smaller steps are the operation cache's (Zen 4).
 */
static const double BTB_STEP_CYCLES = 0.4;
/* A level belongs to the short range if its end is below this part of the border between both: ramps begin early. */
static const double BTB_BORDER_PART = 0.95;
/* If few branches cost less than this part of the first level that shows, a level before that is hidden. Chosen. */
static const double BTB_HIDDEN_PART = 0.75;
/*
 * Where a level is left by a ramp, its value is the last number of branches, up to the knee, with which one costs no
 * more than this many times the median of the points before the knee (BTB_RAMP_FROM, BTB_RAMP_TO). Measured on Zen 4,
 * where that ratio is 1.005 with 3101 branches and 1.02 with 3170 while 3072 are held.
 */
static const double BTB_RAMP_COST = 1.005;
/*
 * The points before a level's end that BTB_RAMP_COST compares with begin at this part of the end. Chosen: near the end,
 * and enough points.
 */
static const double BTB_RAMP_FROM = 0.75;
/*
 * The points before a level's end that BTB_RAMP_COST compares with go up to this part of the end. Chosen: before a ramp
 * begins.
 */
static const double BTB_RAMP_TO = 0.95;
/*
 * Where a level is left by a ramp, the lower end of its interval is no higher than the last count up to its value at
 * which a branch costs no more than this many times the least cost from half of that value on: up to there the level is
 * certainly not left.
 */
static const double BTB_RAMP_COST_CERTAIN = 1.002;
/*
 * The standard error of a point is at least this part of its cycles, that of calibrated time: no repetition makes it
 * better.
 */
static const double BTB_CALIBRATION = 0.01;

/* ---- Cost of single counts (branch_cost.c) --------------------------------------------------------- */

/*
 * The cost of one branch more is known if 8 branches more, seven times in turn, give three values that differ by no
 * more than this part. Chosen.
 */
static const double BRANCH_COST_ALIKE = 0.1;
/*
 * The first level has ended where a branch costs more than this many times as much as with few branches. Chosen: the
 * next level costs half as much again.
 */
static const double BRANCH_COST_RISES = 1.25;
/*
 * Bisection for the end of the first level by BRANCH_COST_RISES stops when the larger count is no more than this many
 * times the smaller one, or is the next one.
 */
static const double BRANCH_COST_CLOSE = 1.02;

/* Standard error of the cycles of a sequence, as a part, from three samples of calibrated time. Chosen. */
static const double BTB_SEQUENCE_ERROR = 0.02;

/* ---- Levels that hold few branches (btb_near.c) ------------------------------------------------------ */

/*
 * Sequences of up to this many times the branches that such levels hold are fitted. Chosen: published next levels hold
 * 5 times as many or more (Neoverse N1: 16 and 80), and a third one, which the fit does not know, does not show.
 */
static const double BTB_NEAR_REACH = 4;
/*
 * Their sequences are read this many times as long as others. The branch that leaves the loop takes an entry, so that
 * in the next reading's first turn no branch of a chain that fills a level may be found: 33 branches that cost 12
 * cycles more each take 400 cycles of the 24,000 of a usual reading of 8 us at 3 GHz, which is more than the error of
 * time (BTB_CALIBRATION). Chosen: so long that they are a few thousandths, and far shorter than the period of a timer,
 * which is 1 ms.
 */
static const double BTB_NEAR_LONGER = 8;
enum {
    /*
     * Branches of the shortest sequences that are fitted. Chosen: of fewer the loop's other instructions take a larger
     * part than levels differ by. no test: the sequences that are measured begin with as many.
     */
    BTB_NEAR_FROM = 8,
};

/* ---- Origin of redirects (btb_fallback.c) ----------------------------------------------------------- */

/*
 * Half and all of the branches are both far past the last level if the costs of a branch differ by no more than this
 * part. Chosen.
 */
static const double BTB_FALLBACK_FLAT = 0.1;
/*
 * The cost of a branch hides NOPs before it if they make it slower by no more than this part of their own time, or the
 * first half of them by no more than this part of what the second half does. Chosen: below a third.
 */
static const double BTB_FALLBACK_HIDDEN = 0.3;
/*
 * The time of NOPs before a branch is added to its cost if they make it slower by at least this part of their own time,
 * and the first half of them by at least this part of what the second half does. Chosen: 1 - BTB_FALLBACK_HIDDEN.
 */
static const double BTB_FALLBACK_ADDED = 0.7;
/*
 * What NOPs between branches add shows only if it exceeds this part of the cost of a branch without NOPs. Chosen: five
 * times the scatter of points (BTB_SCATTER).
 */
static const double BTB_FALLBACK_SEEN = 0.05;

/* ---- Number of a level (btb_report.c) --------------------------------------------------------------- */

/*
 * The capacity of a fitted organisation and that of a level measured before are those of one level if they differ by no
 * more than this part. Chosen.
 */
static const double BTB_SAME_CAPACITY = 0.1;

#endif
