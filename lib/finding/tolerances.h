/*
 * Thresholds of lib/finding: when experiments agree, when a level is steady, when two limits coincide.
 *
 * tests/tolerances/run moves each of them and expects a test to notice.
 */
#ifndef FATHOM_LIB_FINDING_TOLERANCES_H
#define FATHOM_LIB_FINDING_TOLERANCES_H

/* ---- Experiments against each other ------------------------------------------------------------- */

/*
 * Relative difference of two numbers up to which experiments agree closely (grade A). Half of what two reference
 * chains may differ by (lib/measure/tolerances.h): calibrated time repeats within that.
 */
static const double AGREE_CLOSELY = 0.005;
/*
 * Relative difference of two numbers, or of two capacities, up to which experiments agree (grade B). Chosen: twice
 * what two reference chains may differ by.
 */
static const double AGREE = 0.02;
/*
 * Two knees are in the same step if their intervals together span fewer steps than this. Between one step, where the
 * value is the only count inside, and two, where it could be the next one as well.
 */
static const double SAME_STEP_SPAN = 1.5;
/* Steps below which the values of two knees in the same step must differ. Chosen: half of one. */
static const double SAME_STEP_VALUE = 0.5;
/*
 * An interval whose end is more than this factor above its beginning, and which is wider than VAGUE_STEPS, decides
 * nothing.
 */
static const double VAGUE_FACTOR = 2;
/*
 * Steps that an interval must be wider than, besides VAGUE_FACTOR, to decide nothing. Chosen: 2 to 6 entries of a small
 * structure are still a result.
 */
static const double VAGUE_STEPS = 4;
/*
 * Steps by which two intervals may lie apart and still support the same value (grade C), where what one of the
 * experiments itself occupies is calculated. One operation of a chain more or fewer may have retired at the knee, and
 * the knee itself may lie one step too far. inflight_report widens intervals by the same two.
 */
static const double RECKONED_STEPS = 2;

/* ---- Levels ------------------------------------------------------------------------------------- */

/*
 * Relative scatter or slope of a level, or relative to the difference of two levels, up to which its height is a
 * number. Chosen: a level that other cores use as well, or that is a long ramp, varies by more; three times AGREE.
 */
static const double STEADY = 0.06;
/*
 * A later rise of a curve that is at most this part of its first rise does not count as further misses
 * (grade_resident). Chosen: half.
 */
static const double SMALL_RISE = 0.5;

/*
 * Part of a probe's readings that others spoiled (a sibling thread was awake, or time was taken from a reading alone)
 * above which costs and rates are undecided. Chosen: half, above which the core is disturbed more often than not.
 */
static const double DISTURBED_MOSTLY = 0.5;

/* ---- Against something else ---------------------------------------------------------------------- */

/* Relative difference up to which a rate or latency agrees with a published one. Chosen: as large as AGREE. */
static const double RATES_AGREE = 0.02;
/*
 * Relative difference up to which a knee cannot be distinguished from another limit. Chosen: a little more than AGREE.
 */
static const double LIMITS_COINCIDE = 0.03;

#endif
