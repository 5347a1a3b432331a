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
    /* Points on each side whose running median a single point is compared with. Chosen: of seven points four on one
     * level give that level's height, and four is the shortest level that counts. */
    SPIKE_REACH = 3,
    /* Points of about the same height that share one estimate of noise. Chosen: the relative standard error of a median
     * absolute deviation of 32 is some 20 %. */
    CURVE_NOISE_GROUP = 32,
    /* Neighbouring points that share one estimate of noise by place. Chosen: about CURVE_NOISE_GROUP, and odd,
     * so that a point stands in the middle. */
    NOISE_NEAR = 25,
    /* So many equal smallest differences between neighbours are taken for the tick of a coarse clock. Chosen: fewer
     * occur by chance among rounded numbers. */
    TICKS = 6,
    /* Of the neighbours that differ, one in this many at least must do so by exactly one tick. Chosen: steps of several
     * ticks may be more frequent, but not by far. */
    TICKS_ONE_IN = 4,
};
/* Differences up to this many times the smallest one are equal to it. Chosen: above the rounding of a table's numbers,
 * and below two ticks. */
static const double ONE_TICK = 1.001;
/* Least deviation of a point, as a part of the curve's range: seven digits are what arithmetic leaves of it. */
static const double DIGITS_OF_RANGE = 1e-7;
/* The same as a part of the height: numbers of sixteen digits, less four for sums over many points. */
static const double DIGITS_OF_HEIGHT = 1e-12;
/* Part of the neighbours' scatter that a point's deviation is at least, however well its repetitions agree. Chosen: a
 * point's weight is then at most sixteen times that of one of which only the scatter is known. */
static const double SCATTER_AT_LEAST = 0.25;
/* Deviations beyond which a single point is not explained by noise: it is set aside, or measured again where it was
 * drawn at random. Of a normal sample one in 5e8 is that far off. */
static const double OUTLIER = 6;
/* Deviations of a point by which a rise must exceed the level where a search has confirmed it. Of a normal
 * sample 1 in 740 lies that far above. */
static const double RISE = 3;
/* The same where nobody has measured a second time whether the rise is there: 1 in 31,600. */
static const double RISE_SEEN_ONCE = 4;
/* Deviations by which a single point is surely above or below a height, or a slope surely none. Of a normal
 * sample 1 in 370 is that far off, on either side. */
static const double SURE = 3;
/* A rise is higher than this many ticks of a coarse clock. Chosen: any slope makes steps of one tick. */
static const double TICKS_OF_RISE = 1.5;
/* Natural logarithm of the odds against a cut in a curve that has no knee: ln(1000). The penalty of a cut is
 * 2 (ln n + this) for n places that were tried. */
static const double LN_FALSE_CUT = 6.9077552789821368;

/* ---- What a knee must explain beyond a curve without one (smooth.c, rise.c, slope.c, jump.c) ------------- */

/* Gain in sum of squares that one more parameter must bring: a ramp over a step, a knee over a smooth curve. A
 * likelihood ratio of exp(6 / 2) = 20. */
static const double PARAMETER_PRICE = 6;
/* Gain that a jump beside a slope change must bring over a slope change alone. Chosen: 6 deviations squared, since a
 * first point that lies high by chance would make a jump (OUTLIER). */
static const double JUMP_PRICE = 36;
enum {
    /* Points on each side whose median says how far a smooth curve is off. Chosen: medians of five ignore two
     * outliers. */
    OFF_REACH = 2,
    /* One in this many places may be further off a smooth curve on each side without counting. Chosen: one burst. */
    TRIMMED = 40,
    /* Neighbours that were measured once and lie far above a smooth curve are one burst up to so many. Chosen: as few as
     * a level that lasts has at least. */
    BURST_POINTS = 4,
    /* One point in this many may belong to bursts. Chosen: of more it is not known which are the curve. */
    BURSTS_ONE_IN = 6,
    /* Points on each side that say how noisy it is beside a knee. Chosen: farther away another rise may have begun. */
    DEVIATION_REACH = 24,
};

/* ---- Where a level is left (edge.c, rise.c) --------------------------------------------------------------- */

enum {
    /* The last points of a level whose line and scatter say what is on it. Chosen: farther back a level may bend. */
    LEVEL_REACH = 24,
    /* Points from which on the line of a level that slopes predicts the next one. Chosen: twice as many as a line needs
     * to have a scatter. */
    LINE_POINTS = 6,
};
/* A rise is this many times OUTLIER deviations high where single points are to say that a level has been left. Chosen:
 * then those behind it are surely off the level and surely nearer to the next one. */
static const double CLEAR = 2;
/* Part of the way up from a level, and of that to half of the rise, below which y has come back. Chosen: half; noise is
 * far less of it. */
static const double BACK_PART = 0.5;
/* Part of a jump that its first points must have risen by to be its beginning. Chosen: the levels of a queue's curve
 * step a little. */
static const double FIRST_PART_OF_JUMP = 0.05;

/* ---- Rises (rise.c) ---------------------------------------------------------------------------------- */

/* Places within this much of the best sum of squares stay in the interval of a step: a likelihood ratio of
 * exp(9 / 2) = 90. */
static const double WITHIN_STEP = 9;
/* The same for the beginning of a ramp. Chosen larger: its levels have few points and ramps are assumed straight. */
static const double WITHIN_RAMP = 13;
/* The same for neighbours of a slope change: 5 deviations squared, since a point on the wrong side of a slope change is
 * off by no more than the change is steep. Places farther away are treated as beginnings of ramps. */
static const double WITHIN_SLOPE_CHANGE = 25;
/* Sum of squares for each point, in variances, up to which a ramp counts as straight. Expected is 1. */
static const double STRAIGHT = 2;
/*
 * Part of a rise's height within which a point may lie on the wrong side of half the rise and not count against a place
 * of the half-rise. The levels on both sides are not known better: the points that they are fitted to may include some
 * of the foot or the top of the rise.
 */
static const double LEVEL_ERROR = 0.001;
/* Part of a rise's height from which on a line is fitted, which gives the half-rise of a slow ramp. See MIDDLE_TO. */
static const double MIDDLE_FROM = 0.3;
/* Part of a rise's height up to which that line is fitted. Chosen: in between, an S-shaped rise is nearly straight. */
static const double MIDDLE_TO = 0.7;
/* Part of the middle part's width by which a bent rise may shift its half-rise. Chosen: an S over log x from half the
 * capacity to twice it is shifted by 0.017 of it. */
static const double BENT_MIDDLE = 0.04;
/* A rise is this many times as steep as the levels on its sides. */
static const double STEEPER = 2;
enum {
    /* Points of either level among which a rise may begin or end. no test: it saves time; the cuts of
     * lib/knee/segment.h from which it counts are off by a few points at most. */
    RISE_MARGIN = 16,
};

/* ---- Steps (steps.c, knee.c) --------------------------------------------------------------------------- */

/* A level may grow by this part of its height in an octave of x. */
static const double LEVEL_SLOPE = 0.04;
/* A piece that slopes is a level if it is this many times farther from its neighbour than it rises itself. */
static const double LEVEL_APART = 2;
/* A level counts, although y comes back from it, if it lasts from some x to this many times that x: half an octave. */
static const double LASTING_RATIO = 1.4142;
enum {
    /* Points that such a level has at least. */
    LASTING_POINTS = 4,
    /* In the half octave behind a knee one point in this many may be nearer to the level before. */
    LEFT_ONE_IN = 5,
    /* Points in a row that are nearer to the level before show that y has come back to it. */
    BACK_POINTS = 3,
    /* Times that y may cross the middle of a rise elsewhere on the curve: where a stride conflicts it does so twice.
     * More is a wave or a core that changes its state. */
    CROSSINGS_MAXIMUM = 3,
};
/* Two neighbours cross the middle of a rise if each is farther from it than this part of the rise, or than RISE
 * deviations where that is less. Chosen: a wave is to be seen on a noisy curve, too. */
static const double CROSSING_PART = 0.125;
/* A piece between two rising pieces may be a part of one ramp if it is shorter than this part of the shorter of them.
 * Chosen: a level between two ramps is about as long as they are. */
static const double BENT_PART = 0.25;
/* Sum of squares for each point of a level, in variances, above which its points may be a mixture of two levels. */
static const double MIXED = 9;
/* Noise above this part of the height hides a step to twice the height: the reason is then "noise", not "no-knee". */
static const double NOISY = 0.25;

/* ---- Jumps (jump.c) ------------------------------------------------------------------------------------ */

/* One jump explains a curve when it leaves no more than this part of the sum of squares that one line leaves. */
static const double UNEXPLAINED = 0.02;
/* What lies between two pieces that are no farther apart than this part of x is part of the rise, not a level. */
static const double LEVEL_WIDTH = 0.05;
/* Share of a jump that a ramp between its two levels must make up. Chosen: with less a level lies in between. */
static const double RAMP_SHARE = 0.5;
/* The greatest jump is this many times as high as any other. */
static const double DOMINANCE = 2;

/* ---- Slope changes (slope.c) --------------------------------------------------------------------------- */

enum {
    /* The second view agrees only if at least this percentage of the points behind a slope change lie above the median
     * line through those before it. */
    ABOVE_LINE_PERCENT = 80,
    /* The same for the points before the slope change that do not lie above that line. */
    ON_LINE_PERCENT = 90,
    /* If more than this percentage of the points behind a rise lie below half of it, it is a wave, no slope change. */
    COMES_BACK_PERCENT = 10,
};
/* Part of the rising piece behind which those points are counted. Chosen: the first half of it lies below half of the
 * rise by itself, and noise reaches farther. */
static const double RISEN_PART = 0.75;

/* ---- Staircases (staircase.c, sloped_staircase.c, sawtooth.c) --------------------------------------------- */

enum {
    /* Risers that are needed to determine the width of a step. */
    RISERS_AT_LEAST = 3,
    /* One in this many numbers may contradict a sawtooth. */
    SAWTOOTH_ONE_IN = 8,
};
/* Risers of a staircase differ from their median by less than this factor. */
static const double RISER_RATIO = 2;
/* A sloped staircase must be this many times as likely as any other width and as a cubic without steps. no test: the
 * ratio is a power of the number of points, and a tenth more or less noise changes it by more than a factor of three.
 * */
static const double LIKELIER = 1000;
/* Values of a sawtooth, which are whole numbers, are the same if they differ by less than this. */
static const double SAWTOOTH_ALIKE = 0.5;
/* A riser of a sloped staircase is this many times as high as any change within a step. */
static const double HIGHER = 2;

/* ---- Half-rises with known ends (half_rise.c) ------------------------------------------------------------- */

/* Part of the rise that is too small to say that anything is lost, or that anything is kept. */
static const double RESIDENT = 0.05;
/* Part of the rise that the last point with a y must have reached. Chosen: with less, a hump or noise near half of it
 * may be taken for the rise. */
static const double REACHED = 0.75;
/* Half of the rise is crossed between x that differ by no more than this factor. */
static const double CROSSED_WITHIN = 2;

/* ---- The second view (plateau.c, knee.c) ------------------------------------------------------------------ */

/* Deviations by which a point lies above a plateau. */
static const double ABOVE = 2;
/* The same, times this, where a single point is to say that the plateau has been left: OUTLIER deviations. */
static const double FAR_ABOVE = 3;
/* A jump is this many times as high as any change between neighbours beside it. Of normal points it is then some eight
 * deviations high, since the greatest of ten such changes is about three. */
static const double JUMP_OVER = 2;
/* A jump behind two points is this many times as high as they are apart where they are a plateau of their own. Chosen:
 * on a ramp the two are alike. */
static const double JUMP_BEHIND = 8;
enum {
    /* Points on each side that say how noisy it is here. */
    PLATEAU_NOISE_REACH = 20,
    /* The last points of a plateau whose median is its height. */
    PLATEAU_MEMORY = 48,
    /* Next points of which all but one must lie above a plateau that is left. */
    LOOK_AHEAD = 6,
    /* Points that give the height of the plateau behind a rise. */
    PLATEAU_POINTS = 4,
    /* The second view may find the beginning of a ramp outside of its interval by the ramp's width over this. */
    BEGIN_MARGIN = 10,
    /* It may find the half-rise outside of its interval by the ramp's width over this. */
    HALF_RISE_MARGIN = 20,
};

/* ---- Passes over time (passes.c) ---------------------------------------------------------------------------- */

enum {
    /* Neighbours on each side whose median says how far a pass is off. Chosen: medians of five ignore two outliers. */
    PASS_REACH = 2,
    /* For a wide rise the reach is its points over this instead of PASS_REACH: a drift is common to a longer range. */
    PASS_WIDE = 8,
};
/* Part of a rise by which a pass may change its distance from all passes along it. */
static const double PASS_SHARE = 0.5;

/* ---- The search (search*.c) ---------------------------------------------------------------------------------- */

/* Natural logarithm of the odds at which the sequential test at one x ends: ln(1000). Wald: Sequential tests of
 * statistical hypotheses, Annals of Mathematical Statistics 16, 1945. */
static const double LN_WRONG_SIDE = 6.9077552789821368;
/* Deviations by which two samples of one x differ that were not taken under the same conditions: sqrt(2) of them are
 * expected, so 1 in 200 by chance. */
static const double APART = 4;
/* A rise narrower than this part of the x before it is an edge: its beginning is narrowed even where half-rises are. */
static const double EDGE = 0.25;
enum {
    /* Samples at one x at most in the sequential test. no test: it bounds the samples spent where that does not end;
     * most tests end after a few. */
    SAMPLES_AT_ONE_X = 64,
    /* Samples at one x at most while they contradict each other. */
    SETTLE_SAMPLES = 9,
    /* With so many samples a minority that is far off their median is a disturbance. Chosen: three then outvote two. */
    SETTLED_SAMPLES = 5,
    /* Percentage of these samples that must be near their median. Chosen: four of five, five of seven, seven of nine. */
    SETTLED_PERCENT = 70,
    /* Up to so many samples are repeated where their median lies beyond both neighbours. Chosen: a disturbance rarely
     * lasts longer. */
    LONE_SAMPLES = 3,
    /* Samples at one x from which on it gets no more where no new x is left. no test: it bounds the samples spent on
     * intervals that do not become clear, which stay wide in either case. */
    AGAIN_SAMPLES = 16,
    /* Points inside an interval from which on it gets no new ones, and these are sampled again. no test: it bounds
     * the samples spent on intervals that do not become clear; bisection of a clear one has fewer points inside. */
    INSIDE_MAXIMUM = 8,
    /* Steps on each side of the knee of a ramp that are all sampled. Chosen: where two structures take turns, single
     * points among the first few come back. */
    STEPS_BESIDE = 3,
    /* Differences at about the same height that share one estimate of the noise of samples. */
    SAMPLE_NOISE_GROUP = 48,
    /* Samples of the first x at most while the search waits for it to read as usual. no test: a disturbance that lasts
     * longer is found by confirmation as well. */
    PATIENCE = 16,
    /* Last samples of the first x that show how it usually reads. */
    RECENT = 33,
    /* With fewer of them the search does not wait. no test: the first pass over the coarse grid takes more of them. */
    RECENT_AT_LEAST = 4,
    /* Before each x of the coarse grid whose number is a multiple of this the first x is sampled. */
    FIRST_X_EVERY = 8,
    /* Points behind the last knee from which the level there counts as reached, and the range need not grow. */
    POINTS_AFTER = 3,
    /* Guard points at most over the whole range. */
    GUARDS_MAXIMUM = 8,
    /* Steps of the range for each of these guard points. */
    STEPS_FOR_A_GUARD = 100,
    /* Further guard points on each side of each knee where samples repeat exactly. no test: with 1 to 9 of them none of
     * 1,200 exact waves of three shapes became a knee; they cost few samples. */
    GUARDS_EXACT = 3,
    /* Different points on each side of a knee that take turns in its confirmation. */
    PAIR_POINTS = 3,
    /* Pairs that a confirmation takes at most. no test: it bounds the samples spent where no lead builds up, and such a
     * knee is not agreed in either case. */
    PAIRS_MAXIMUM = 24,
    /* Lead of confirming over refuting pairs, or the reverse, that decides. Wald 1945: of a rise of four deviations
     * nine pairs in ten confirm it, of none one in ten; 9^4 > 1000. */
    LEAD = 4,
    /* The same where samples repeat exactly. */
    LEAD_EXACT = 2,
    /* Times that knees are narrowed and confirmed again where confirmation has moved them. */
    CONFIRMATIONS_MAXIMUM = 4,
    /* Samples kept for confirmation, whatever has become of the rest of the budget. no test: it matters only where
     * narrowing spends the budget, and a small budget keeps the part below instead. */
    RESERVED = 64,
    /* A small budget keeps only its own number of samples over this for confirmation. */
    RESERVED_OF_BUDGET = 4,
};

/*
 * Part of a rise by which a point lies above the level before it that is not on the level any more, where samples repeat
 * exactly. Chosen: below what the first point behind a knee shows where a structure of 16 ways or pages spills, 1/16
 * twice.
 */
static const double LEFT_LEVEL = 0.1;
/*
 * Part of y by which it has to rise from one point to the next for a level to end there, and how many times as much as
 * between the points before. Chosen: half of the smallest step that is reported as a knee, 5 %; and a line over a grid
 * that doubles rises twice as much in each gap as in the one before.
 */
static const double LEFT_RISE = 0.025;
/* See LEFT_RISE. */
static const double STEEPER_RISE = 3;

#endif
