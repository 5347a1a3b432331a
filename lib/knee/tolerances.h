/*
 * The thresholds of lib/knee: every number that decides which knees are reported, and how surely.
 *
 * "Deviation" is the standard deviation of one point (docs/METHODS.md, 2.3). A sum of squares counts in variances of
 * its points, so that a gain of g beside one free parameter has the likelihood ratio exp(g / 2). Where no formula
 * stands the value was chosen on the modelled curves of tests/model/curves, not on a core. tests/tolerances moves
 * each value by a factor of three and demands that a test fails; where none can, the comment ends in "no test:" and
 * the reason.
 */
#ifndef FATHOM_LIB_KNEE_TOLERANCES_H
#define FATHOM_LIB_KNEE_TOLERANCES_H

/* ---- Points and their noise (curve.c, smooth.c) ------------------------------------------------------- */

enum {
    /* Points of a curve below which nothing is decided. Chosen: two levels of three points each. */
    POINTS_AT_LEAST = 6,
    /*
     * Points on each side of a point that take part in the running median which it is compared with. Chosen: of seven
     * points four on one level give that level's height, and four is the shortest level that counts.
     */
    SPIKE_REACH = 3,
    /*
     * Points of about the same height that share one estimate of noise. Chosen: the estimate is their median absolute
     * deviation, whose relative standard error is some 20 % with 32 points.
     */
    CURVE_NOISE_GROUP = 32,
    /* Neighbouring points that share one estimate of noise by place. Chosen: about CURVE_NOISE_GROUP, and odd,
     * so that a point stands in the middle. */
    NOISE_NEAR = 25,
    /*
     * A stretch of so many neighbouring points or more shows how much the points in it scatter at most (curve.c). An
     * edge has as many points on either side. Chosen: the shortest level that counts has as many (LASTING_POINTS).
     */
    STRETCH_LEAST = 4,
    /* So many equal smallest differences between neighbours are taken for the tick of a coarse clock. Chosen: fewer
     * occur by chance among rounded numbers. */
    TICKS = 6,
    /* Of the neighbours that differ, one in this many at least must do so by exactly one tick. Chosen: steps of several
     * ticks may be more frequent, but not by far. */
    TICKS_ONE_IN = 4,
};
/*
 * Differences up to this many times the smallest one count as equal to it when the tick of a coarse clock is sought.
 * Chosen: above the rounding of a table's numbers, and below two ticks.
 */
static const double ONE_TICK = 1.001;
/*
 * A point's deviation is at least this part of the curve's range of y (of a staircase: of the greatest difference
 * between neighbours): arithmetic leaves seven digits of that.
 */
static const double DIGITS_OF_RANGE = 1e-7;
/*
 * A point's deviation is at least this part of the largest |y| of the curve, added to what DIGITS_OF_RANGE gives:
 * numbers have sixteen digits, and sums over many points lose four.
 */
static const double DIGITS_OF_HEIGHT = 1e-12;
/*
 * A point's deviation is at least this part of the scatter of its neighbours, however well its repetitions agree.
 * Chosen: its weight is then at most sixteen times that of a point of which only that scatter is known.
 */
static const double SCATTER_AT_LEAST = 0.25;
/*
 * A single point that is off by more than this many deviations is not explained by noise: in a curve it is set aside; a
 * guard point of a search is measured more closely; at a level it shows that the level has been left. Of a normal
 * sample one in 5e8 is that far off.
 */
static const double OUTLIER = 6;
/*
 * A rise that a search has measured a second time is a knee if it is higher than this many deviations of a point. Of a
 * normal sample 1 in 740 lies that far above the mean. Heights of pieces of a curve that differ by no more count as
 * equal.
 */
static const double RISE = 3;
/*
 * A rise that was measured only once is a knee if it is higher than this many deviations of a point. Of a normal sample
 * 1 in 31,600 lies that far above the mean.
 */
static const double RISE_SEEN_ONCE = 4;
/*
 * A single point farther from a height than this many deviations is surely above or below it, and a slope within as
 * many of its own is none. Of a normal sample 1 in 370 is that far off, on either side.
 */
static const double SURE = 3;
/*
 * A rise is a knee, and a point is off a level, only if it is higher than this many ticks of a coarse clock. Chosen:
 * any slope makes steps of one tick.
 */
static const double TICKS_OF_RISE = 1.5;
/*
 * Natural logarithm of the odds against a cut in a curve that has no knee: ln(1000). A cut must lower the sum of
 * squares by 2 (ln n + this), where n is the number of points, at each of which a cut was tried.
 */
static const double LN_FALSE_CUT = 6.9077552789821368;

/* ---- What a knee must explain beyond a curve without one (smooth.c, rise.c, slope.c, jump.c) ------------- */

/*
 * By this much, in variances, one more parameter must lower the sum of squares: a ramp instead of a step, a knee
 * instead of a smooth curve. That is a likelihood ratio of exp(6 / 2) = 20.
 */
static const double PARAMETER_PRICE = 6;
/*
 * By this much, in variances, a jump at a slope change must lower the sum of squares below that of a slope change
 * alone. Chosen: OUTLIER deviations squared, since one first point that lies high by chance looks like a jump.
 */
static const double JUMP_PRICE = 36;
enum {
    /*
     * How far a smooth curve is off at a point is the median over that point and so many on each side. Chosen: medians
     * of five ignore two outliers.
     */
    OFF_REACH = 2,
    /*
     * With fewer points than this, all measured repeatedly, how far a smooth curve is off at a point is the median over
     * that point and one on each side. Chosen: of twelve points five lie on either side of the middle two, so that
     * medians of five show either side.
     */
    OFF_POINTS = 12,
    /*
     * Of the medians that say how far a smooth curve is off, one in this many is left out at either end of their range.
     * Chosen: one burst of disturbance.
     */
    TRIMMED = 40,
    /*
     * Neighbours that were measured once and lie far above a smooth curve are set aside as a burst of disturbance if
     * they are no more than this. Chosen: a level that lasts has at least as many (LASTING_POINTS).
     */
    BURST_POINTS = 4,
    /*
     * At most one point in this many is set aside as part of a burst. Chosen: where there are more it is not known
     * which points are the curve.
     */
    BURSTS_ONE_IN = 6,
    /*
     * The noise on either side of a knee is that of so many points next to it. Chosen: farther away another rise may
     * have begun.
     */
    DEVIATION_REACH = 24,
};

/* ---- Where a level is left (edge.c, rise.c) --------------------------------------------------------------- */

enum {
    /*
     * Whether the next point is on a level is judged by the line through its last points, so many, and by their
     * scatter. Chosen: farther back a level may bend.
     */
    LEVEL_REACH = 24,
    /*
     * So many points in a row, none of them on the level and none surely off it, belong to a level that drifts; fewer
     * may be the beginning of a rise. Chosen: twice the points of the shortest level that counts (LASTING_POINTS).
     */
    DOUBTFUL_POINTS = 8,
    /*
     * The line through the points of a level that slopes predicts the next point only if there are so many. Chosen:
     * twice as many as a line needs to have a scatter.
     */
    LINE_POINTS = 6,
};
/*
 * A level whose points show a deviation with d degrees of freedom scatters by no more than 1 + this / d^2 times that.
 * Chosen: the next point of normal noise then lies above OUTLIER such deviations once or twice in a million (quantiles
 * of Student's distribution, from five degrees on).
 */
static const double FEW_POINTS = 60;
/*
 * Single points decide where a level is left only if the rise is higher than this many times OUTLIER deviations.
 * Chosen: then the points after the rise are surely off the level and surely nearer to the next one.
 */
static const double CLEAR = 2;
/*
 * After a level was left, y has come back to it if it is below this part of how high it has been above the level, and
 * below this part of the way from the level to half of the rise. Chosen: half; noise is far less than that.
 */
static const double BACK_PART = 0.5;
/*
 * A point of a KNEE_JUMP curve is off the level only if it has risen by more than this part of the jump. Chosen: the
 * levels on both sides of a queue's jump have small steps of their own.
 */
static const double FIRST_PART_OF_JUMP = 0.05;

/* ---- Rises (rise.c) ---------------------------------------------------------------------------------- */

/*
 * A place at which a step may begin stays in its interval if its sum of squares, in variances, exceeds the best one by
 * no more than this: a likelihood ratio of exp(9 / 2) = 90.
 */
static const double WITHIN_STEP = 9;
/*
 * A place at which a ramp may begin stays in its interval if its sum of squares, in variances, exceeds the best one by
 * no more than this, or this many times the ramp's sum of squares for each point where that is above 1. Chosen larger
 * than WITHIN_STEP: the levels beside a ramp have few points, and ramps are assumed to be straight.
 */
static const double WITHIN_RAMP = 13;
/*
 * A point next to the best place of a slope change stays in its interval if its sum of squares, in variances, exceeds
 * the best one by no more than this: 5 deviations squared, since a point on the wrong side of a slope change lies off
 * the line by little. For places farther away WITHIN_RAMP counts.
 */
static const double WITHIN_SLOPE_CHANGE = 25;
/*
 * A ramp counts as straight, and one jump as all of a curve, if its sum of squares for each point, in variances, is no
 * more than this. Expected is 1.
 */
static const double STRAIGHT = 2;
/*
 * The half-rise is where y passes the middle between two levels. A point on the wrong side of the middle counts against
 * a place of the half-rise only if it is farther from the middle than this part of the rise: the heights of the levels
 * are not known better, since the points that they are fitted to may include some of the foot or the top of the rise.
 */
static const double LEVEL_ERROR = 0.001;
/* The half-rise of a slow ramp is taken from a line through its middle part, which begins at this part of the rise. */
static const double MIDDLE_FROM = 0.3;
/*
 * The half-rise of a slow ramp is taken from a line through its middle part, which ends at this part of the rise.
 * Chosen: between MIDDLE_FROM and this, an S-shaped rise is nearly straight.
 */
static const double MIDDLE_TO = 0.7;
/*
 * The interval of a half-rise that is taken from a line through the middle part of a ramp is widened on either side by
 * this part of the middle part's width in x, since a bent rise shifts it. Chosen: a rise that is S-shaped over log x,
 * from half the capacity to twice it, is shifted by 0.017.
 */
static const double BENT_MIDDLE = 0.04;
/*
 * A rise is a knee only if it is more than this many times as steep as the levels on its sides; a level is left
 * abruptly only if y rises by more than this many times the change after that.
 */
static const double STEEPER = 2;
enum {
    /*
     * A rise is fitted as beginning, and ending, at no more than so many points from the cuts that lib/knee/segment.h
     * made there. no test: it saves time, and those cuts are off by a few points at most.
     */
    RISE_MARGIN = 16,
};

/* ---- Steps (steps.c, knee.c) --------------------------------------------------------------------------- */

/* A piece counts as a level if it grows by no more than this part of its height in an octave of x. */
static const double LEVEL_SLOPE = 0.04;
/*
 * A piece that slopes is a level if its distance in y from the piece before is more than this many times its own rise.
 */
static const double LEVEL_APART = 2;
/* A level counts, although y comes back from it, if it lasts from some x to this many times that x: half an octave. */
static const double LASTING_RATIO = 1.4142;
/*
 * A level that may be two leaves a doubt only if the second would be higher than the first by more than this part of
 * it. Chosen: smaller steps are no levels of a structure, but what its neighbours take part in.
 */
static const double DOUBTFUL_RISE = 0.05;
enum {
    /* A level counts, although y comes back from it, only if it has so many points. */
    LASTING_POINTS = 4,
    /*
     * A level has been left if at most one point in this many, in the half octave after the knee, is nearer to that
     * level than to the next one.
     */
    LEFT_ONE_IN = 5,
    /* y has come back to a level when so many points in a row are nearer to it than to the next one. */
    BACK_POINTS = 3,
    /*
     * A rise is no knee if y crosses the middle of its height elsewhere, up to the neighbouring knees, more than so
     * many times: that is a wave, or a core that changes its state. A stride that causes conflicts makes y cross it
     * twice.
     */
    CROSSINGS_MAXIMUM = 3,
};
/*
 * Two neighbouring points count as crossing the middle of a rise if they lie on different sides of it, each farther
 * from it than this part of the rise, or than RISE deviations where that is less. Chosen: a wave is seen on a noisy
 * curve as well.
 */
static const double CROSSING_PART = 0.125;
/*
 * A piece that joins two rising pieces without a jump is taken for a part of one ramp, not for a level, if its length
 * in x is less than this part of that of the shorter of them. Chosen: a level between two ramps is about as long as
 * they are.
 */
static const double BENT_PART = 0.25;
/*
 * A piece that rises from a flat one belongs to the ramp behind it, with which it has no jump, where it is shorter in x
 * than this part of it. Chosen: half; what is longer is a level that grows.
 */
static const double TOE_PART = 0.5;
/*
 * A ramp may begin with a foot that rises by this part of the ramp's slope, and that its points do not show. Chosen: a
 * tenth; half of that makes intervals by a third wider and includes hardly more modelled ramps.
 */
static const double FOOT = 0.1;
/*
 * A piece with a larger sum of squares for each point, in variances, is no level if its points alternate between two
 * heights as well. Expected of a level is 1.
 */
static const double MIXED = 9;
/*
 * Where no knee of KNEE_STEP or KNEE_JUMP is left and a point's deviation exceeds this part of the first level's
 * height, the reason is NOISE and no other: such noise hides a step to twice the height.
 */
static const double NOISY = 0.25;

/* ---- Jumps (jump.c) ------------------------------------------------------------------------------------ */

/*
 * One jump explains the whole curve, so that no other one is looked for, when it leaves no more than this part of the
 * sum of squares that one line leaves.
 */
static const double UNEXPLAINED = 0.02;
/*
 * Pieces between two others belong to the rise between these, and are no level, if the two are no farther apart in x
 * than this part of x.
 */
static const double LEVEL_WIDTH = 0.05;
/*
 * The pieces between two others that are farther apart than LEVEL_WIDTH are the ramp of a jump between these, and none
 * of them is a level, only if each rises, and all together by this part of the jump at least.
 */
static const double RAMP_SHARE = 0.5;
/* The greatest jump of a curve is its knee only if it is more than this many times as high as any other. */
static const double DOMINANCE = 2;

/* ---- Slope changes (slope.c) --------------------------------------------------------------------------- */

enum {
    /*
     * The second view agrees with a slope change only if at least this percentage of the points after it lie above the
     * Theil-Sen line through the points before it, by more than SURE times the scatter of those points.
     */
    ABOVE_LINE_PERCENT = 80,
    /*
     * The second view agrees with a slope change only if at least this percentage of the points before it do not lie
     * above the Theil-Sen line through them by more than SURE times their scatter.
     */
    ON_LINE_PERCENT = 90,
    /* If more than this percentage of the points after a rise lie below half of it, it is a wave, no slope change. */
    COMES_BACK_PERCENT = 10,
};
/*
 * COMES_BACK_PERCENT counts points from this part of the piece on in which y rises. Chosen: its first half lies below
 * half of the rise in any case, and noise reaches farther.
 */
static const double RISEN_PART = 0.75;

/* ---- Staircases (staircase.c, sloped_staircase.c, sawtooth.c) --------------------------------------------- */

enum {
    /* A staircase must show so many risers, for its steps to have a width. */
    RISERS_AT_LEAST = 3,
    /* A sawtooth is accepted if at most one in this many numbers contradicts it. */
    SAWTOOTH_ONE_IN = 8,
};
/* A staircase is accepted only if its risers differ from their median by less than this factor. */
static const double RISER_RATIO = 2;
/*
 * A sloped staircase is accepted if it is this many times as likely as any other width and as a cubic without steps. no
 * test: the ratio is a power of the number of points, and a tenth more or less noise changes it by more than a factor
 * of three.
 */
static const double LIKELIER = 1000;
/* Values of a sawtooth, which are whole numbers, are the same if they differ by less than this. */
static const double SAWTOOTH_ALIKE = 0.5;
/*
 * A sloped staircase is accepted if its first two risers are more than this many times as high as any other change
 * between neighbours up to the second one.
 */
static const double HIGHER = 2;

/* ---- Half-rises with known ends (half_rise.c) ------------------------------------------------------------- */

/*
 * Where y lies above that of the first point by less than this part of the rise, nothing counts as lost: the level goes
 * on. Where it lies below the y of everything lost by no more than as much, nothing counts as kept: the ramp has ended.
 */
static const double RESIDENT = 0.05;
/*
 * There is a half-rise only if the last point that has a y has reached this part of the rise. Chosen: with less, a hump
 * or noise near half of it may be taken for the rise.
 */
static const double REACHED = 0.75;
/*
 * The half-rise is too noisy to be used if the ends of its interval, between which the curve crosses half of the rise
 * once or several times, differ by more than this factor.
 */
static const double CROSSED_WITHIN = 2;

/* ---- The second view (plateau.c, knee.c) ------------------------------------------------------------------ */

/* A point lies above a plateau if it exceeds the plateau's median by more than this many deviations. */
static const double ABOVE = 2;
/*
 * A single point shows that a plateau has been left if it exceeds its median by this many times ABOVE deviations, which
 * is OUTLIER deviations.
 */
static const double FAR_ABOVE = 3;
/*
 * y jumps between two neighbouring points if the gap between the points up to there and those from there on is more
 * than this many times as high as any change between neighbours on either side. Of normal points it is then some eight
 * deviations high, since the greatest of ten such changes is about three deviations, and their range adds to it.
 */
static const double JUMP_OVER = 2;
/*
 * Two points before a jump are a plateau of their own, and not part of a ramp, if the jump is more than this many times
 * as high as the two are apart. Chosen: on a ramp the two differences are about equal.
 */
static const double JUMP_BEHIND = 8;
enum {
    /* The noise at a point is that of the differences between neighbours, of so many points on each side. */
    PLATEAU_NOISE_REACH = 20,
    /* A plateau's height is the median of its last points, at most so many. */
    PLATEAU_MEMORY = 48,
    /* A plateau is left where all but one of so many next points lie above it. */
    LOOK_AHEAD = 6,
    /* The height of the plateau after a rise is the median of its first points, so many. */
    PLATEAU_POINTS = 4,
    /*
     * The second view agrees about a ramp if it finds its beginning in the interval, or outside by no more than one
     * point and the ramp's width in x divided by this.
     */
    BEGIN_MARGIN = 10,
    /*
     * The second view agrees about the half-rise of a ramp if it finds it in the interval, or outside by no more than
     * one step and the ramp's width in x divided by this.
     */
    HALF_RISE_MARGIN = 20,
};

/* ---- Passes over time (passes.c) ---------------------------------------------------------------------------- */

enum {
    /*
     * How far a pass is off at a point is the median over that point and so many on each side. Chosen: medians of five
     * ignore two outliers.
     */
    PASS_REACH = 2,
    /*
     * How far a pass is off along a wide rise is the median over more points than PASS_REACH on each side: the number
     * of points of the rise divided by this. A drift shifts a longer range.
     */
    PASS_WIDE = 8,
};
/* A pass shows a knee if its distance from the points, along the rise, varies by less than this part of the rise. */
static const double PASS_SHARE = 0.5;

/* ---- The search (search*.c) ---------------------------------------------------------------------------------- */

/*
 * A sequential test decides on which side of a knee an x lies; it ends when the natural logarithm of the odds exceeds
 * this, ln(1000). Wald: Sequential tests of statistical hypotheses, Annals of Mathematical Statistics 16, 1945.
 */
static const double LN_WRONG_SIDE = 6.9077552789821368;
/*
 * Two samples of one x contradict each other, and more are taken, if they differ by more than this many deviations of a
 * sample: the difference has a deviation of sqrt(2), so 1 in 200 is that large by chance. A sample at half that
 * distance from the median is near it; one so far above the usual value shows that the machine is not quiet; and a rise
 * that is higher is narrowed as if it were so high.
 */
static const double APART = 4;
/*
 * Where a search is to narrow half-rises, the beginning of a rise is narrowed instead if the rise is no wider than this
 * part of the x at which it begins.
 */
static const double EDGE = 0.25;
enum {
    /*
     * Most samples that one sequential test takes. no test: it bounds the samples spent where the test does not end,
     * and most end after a few.
     */
    SAMPLES_AT_ONE_X = 64,
    /* An x whose samples contradict each other gets no more than so many. */
    SETTLE_SAMPLES = 9,
    /*
     * From so many samples of one x on, a minority that is far off their median is taken for a disturbance, and no more
     * are taken. Chosen: three then outvote two.
     */
    SETTLED_SAMPLES = 5,
    /*
     * At an x with SETTLED_SAMPLES or more, no more are taken once at least this percentage of its samples are near
     * their median. Chosen: four of five, five of seven, seven of nine.
     */
    SETTLED_PERCENT = 70,
    /*
     * An x with no more than so many samples gets another one where their median lies above both neighbours, or below
     * both, by more than APART deviations. Chosen: a disturbance rarely lasts longer.
     */
    LONE_SAMPLES = 3,
    /*
     * Where the interval of a knee gets no new x any more, the x in it are sampled again until each has so many samples
     * or more. no test: it bounds the samples spent on intervals that do not become clear, which stay wide in either
     * case.
     */
    AGAIN_SAMPLES = 16,
    /*
     * The interval of a knee that a search narrows gets no new points when it has so many inside; these are sampled
     * again instead. no test: it bounds the samples spent on intervals that do not become clear; bisection of a clear
     * one has fewer points inside.
     */
    INSIDE_MAXIMUM = 8,
    /*
     * At the knee of a ramp so many steps of x on each side are all sampled. Chosen: where two structures take turns,
     * single points among the first few return to the level.
     */
    STEPS_BESIDE = 3,
    /*
     * The noise of samples is estimated from groups of so many differences between samples, or up to twice as many, at
     * about the same height; fewer make one group.
     */
    SAMPLE_NOISE_GROUP = 48,
    /*
     * While the search waits for the machine to be quiet it takes at most so many samples of the first x. no test: a
     * disturbance that lasts longer is found by confirmation as well.
     */
    PATIENCE = 16,
    /* What the first x of a search usually reads is the median of its last samples, so many. */
    RECENT = 33,
    /*
     * With fewer samples of the first x a search does not wait for the machine to be quiet. no test: the first pass
     * over the coarse grid takes more of them.
     */
    RECENT_AT_LEAST = 4,
    /* In the coarse grid the first x is sampled again before every x whose number is a multiple of this. */
    FIRST_X_EVERY = 8,
    /* The range grows no more when there are so many points after the last knee: the level there has been reached. */
    POINTS_AFTER = 3,
    /* Most guard points that are drawn over the whole range. */
    GUARDS_MAXIMUM = 8,
    /* One guard point is drawn for each so many steps of the range, GUARDS_MAXIMUM at most. */
    STEPS_FOR_A_GUARD = 100,
    /*
     * Further guard points on each side of each knee where samples turn out to repeat exactly. no test: with 1 to 9 of
     * them none of 1,200 exact waves of three shapes became a knee; they cost few samples.
     */
    GUARDS_EXACT = 3,
    /* The confirmation of a knee samples up to so many different points on each side of it, in turn. */
    PAIR_POINTS = 3,
    /* Pairs that a confirmation takes at most. no test: it bounds the samples spent where no lead builds up, and such a
     * knee is not agreed in either case. */
    PAIRS_MAXIMUM = 24,
    /* Lead of confirming over refuting pairs, or the reverse, that decides. Wald 1945: of a rise of four deviations
     * nine pairs in ten confirm it, of none one in ten; 9^4 > 1000. */
    LEAD = 4,
    /* The lead of confirming over refuting pairs, or the reverse, that decides where samples repeat exactly. */
    LEAD_EXACT = 2,
    /* Knees whose interval has moved are narrowed and confirmed again, at most so many times. */
    CONFIRMATIONS_MAXIMUM = 4,
    /*
     * So many samples of a search's budget are kept for confirmation. no test: it matters only where narrowing spends
     * the rest, and a small budget keeps the part that RESERVED_OF_BUDGET says instead.
     */
    RESERVED = 64,
    /* A small budget keeps its number of samples divided by this for confirmation, where that is less than RESERVED. */
    RESERVED_OF_BUDGET = 4,
};

/*
 * Where samples repeat exactly, a point of KNEE_STEP is off the level before a rise if it lies above it by more than
 * this part of the rise, and by more than the search's resolution; of KNEE_JUMP it is so from half of the rise on.
 * Chosen: below the 2/16 of the rise that the first point after the knee of a structure of 16 ways or pages shows.
 */
static const double LEFT_LEVEL = 0.1;
/*
 * Where samples repeat exactly, a level may end between two neighbouring points if y rises there by more than this part
 * of itself, or than the search's resolution where that is more. Chosen: half of the smallest step that is reported as
 * a knee, 5 %.
 */
static const double LEFT_RISE = 0.025;
/*
 * Where samples repeat exactly, a level may end between two neighbouring points only if y rises there by more than this
 * many times as much as between the two points before. Chosen: a straight line over a grid whose x double rises twice
 * as much in each gap as in the one before.
 */
static const double STEEPER_RISE = 3;
/*
 * Part of y by which all points behind a jump lie above all before it, at least; until then the range is extended.
 * Chosen: latencies of misses, which page walks make longer, wobble by up to 7 % on modelled cores; what a full
 * instruction window makes wait is 40 % longer or more.
 */
static const double JUMP_RISE = 0.125;

#endif
