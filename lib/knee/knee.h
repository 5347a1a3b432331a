/*
 * Knees of curves. This header defines what a knee is and decides about points that are there already; measuring more
 * of them is the business of lib/knee/search.h. docs/METHODS.md, chapter 2.
 *
 * A structure of capacity N makes x <= N good and x > N bad: y, the cost, leaves its level where x exceeds N. That
 * place is a knee. It is reported as an interval [low, high): `low` is the last x that is surely good, `high` the first
 * that is surely bad, and N lies in the interval with a probability of at least 95 %. `value` is the last good x at
 * best knowledge.
 *
 * A level that y has left for half an octave of x counts as left, also when y returns to it later: that is a knee, and
 * the curve is not monotone. Where y rises again at larger x, there is another knee. A level to which y returns sooner
 * has not been left.
 *
 *     y                                     y
 *     |                 end                 |
 *     |                  _________ after    |               ______ after
 *     |                 /                   |              |
 *     |                / half-rise          |              |
 *     |  before       /                     |  before      |
 *     |______________/                      |______________|
 *     |            | | |                    |             | |
 *     +------------+-+-+------------ x      +-------------+-+------ x
 *               foot | high                             low high
 *                    low, value             a step: value = low, high is one step of x farther
 *     a ramp: the rise takes more than one step of x
 *
 * The four kinds of curve:
 *
 *     KNEE_STEP            KNEE_JUMP            KNEE_SLOPE           KNEE_STAIRCASE
 *             ______                ___--             /                     ___
 *        ____|               ___--|                  /                  ___|
 *       |             ___---      |             ____/               ___|
 *     __|          ---                     ____/                ___|
 *     any number of        two levels, which    a line that becomes  steps of equal width
 *     levels               may slope            steeper              and height
 *
 * Two views examine each curve independently. The main one cuts the curve into pieces of straight line, each with its
 * own slope and height, by least squares (lib/knee/segment.h). The second one uses medians and signs, no squares and no
 * lines (lib/knee/plateau.h). A knee that the second view does not find in the interval of the main one is not
 * `agreed`. A knee of KNEE_STEP is dropped where the second view sees no rise that overlaps with it. A knee is also
 * dropped where y swings up and down by as much, and where a smooth curve explains the points as well
 * (lib/knee/smooth.h).
 *
 * The code uses only + - * / and sqrt, so that the same points give the same verdict, to the last digit, in every
 * build.
 */
#ifndef FATHOM_LIB_KNEE_KNEE_H
#define FATHOM_LIB_KNEE_KNEE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/reason.h"

enum knee_kind {
    KNEE_STEP,      /* any number of levels, each left by a step or a ramp: caches, TLBs, branch target buffers */
    KNEE_JUMP,      /* two levels, which may slope, and one step or ramp between them: reorder buffer, queues */
    KNEE_SLOPE,     /* a line that becomes steeper: parallel misses */
    KNEE_STAIRCASE, /* steps of equal width and height: fetch width. A knee's value is the width of a step in x */
};
/* Names in records and on the command line: "step", "jump", "slope", "staircase". */
extern const char *const knee_kind_names[KNEE_STAIRCASE + 1];

/* Most knees of one curve; of more the first ones are reported. */
enum { KNEES_MAXIMUM = 8 };

struct knee_point {
    double x;     /* ascending, all different */
    double y;     /* NaN: it was measured without a result */
    double error; /* standard error of y by its repetitions; 0 where they repeat exactly; NaN: unknown */
};

/* Most passes of one curve (struct knee_passes). */
enum { KNEE_PASSES = 3 };

/*
 * The y of each pass over the points, where the same points were measured several times, one pass after the other. A
 * change in time (a drift, another state of the core, a burst) shows at another x in each pass; what depends on x shows
 * at the same x in all of them.
 */
struct knee_passes {
    size_t count; /* passes, 2 to KNEE_PASSES; 0: nothing is known about time */
    double *y;    /* y[pass * points + point]; NaN: the pass has no result there */
};

struct knee {
    double value;     /* the last good x, at best knowledge */
    double low, high; /* last surely good x, first surely bad x */
    /*
     * How much earlier than `low` the rise, or a flatter foot of it, may begin without showing in the noise, in x. What
     * stands on one experiment has to allow for it; where several put the knee into the same step, their noise has
     * nothing in common.
     */
    double unseen;
    double foot; /* of a ramp: last x up to low at which y is on the level before, by the scatter there; else low */
    double before, after; /* y where the level is left, and where the rise ends */
    double end;           /* x where the rise has ended; of a step `high` or a little more */
    double half_rise;     /* x at which y is half way between the levels on both sides; then its interval */
    double half_rise_low, half_rise_high;
    bool ramp;             /* the rise takes more than a step of x: value is where it begins */
    bool agreed;           /* the second view finds this knee in the interval, too */
    bool half_rise_agreed; /* the second view finds the half-rise in its interval, too */
    bool fuzzy;            /* good and bad points mix around the knee: low and high are the ends of the mixture */
    bool doubtful;         /* the level before it, or before an earlier knee, may be two: a knee may be missing there */
};

/* The section of a curve between two knees, or between a knee and an end of the curve. */
struct knee_level {
    double from, to; /* x of its first and last point */
    double height;   /* median of y */
    double least;    /* of all its y */
    double spread;   /* scatter of the points around the level's line: robust standard deviation, relative to height */
    double slope;    /* growth of its line from first to last point, relative to y; 0: no more than noise */
};

struct verdict {
    /*
     * By the functions below NONE where there is a knee, else NO_KNEE, TOO_FEW_POINTS, NOISE, NOT_LEFT, AMBIGUOUS or
     * PASSES_DISAGREE. Others may set a reason although there is a knee.
     */
    enum reason reason; /* docs/METHODS.md, 2.9 */
    double sigma;       /* standard deviation of a point, as found; 0: the curve repeats exactly */
    bool monotone;      /* y never falls by more than noise; of KNEE_SLOPE always true */
    size_t count;       /* knees, ascending in x; at most one of KNEE_JUMP, KNEE_SLOPE and KNEE_STAIRCASE */
    size_t level_count; /* levels: by the functions below count + 1, or 0 with too few points */
    struct knee knees[KNEES_MAXIMUM];
    struct knee_level levels[KNEES_MAXIMUM + 1];
};

/*
 * Decides which knees a curve has that was measured once, and stores them in *out, or the reason why there is none.
 * points: `count` of them, x ascending and all different. Those whose y is NaN are left out; with fewer than
 * POINTS_AT_LEAST others the reason is TOO_FEW_POINTS. step: the finest difference of x that means something (1 for
 * entries, the line size for bytes); 0: the smallest difference between points. A knee must rise by more than
 * RISE_SEEN_ONCE standard deviations of a point. Time is at most count * log(count) for each of a constant number of
 * pieces. False only when memory is short: *out is not usable then.
 */
bool knee_decide(enum knee_kind kind, const struct knee_point *points, size_t count, double step, struct verdict *out);

/*
 * As knee_decide, for points that were measured in several passes: points[i].y is what all passes together gave, and
 * *passes is what each of them gave. The more the passes differ, the higher a knee must rise. A knee that is missing in
 * any pass, but of KNEE_STAIRCASE, is dropped; where none is left, the reason is PASSES_DISAGREE, or NOISE (NOISY).
 */
bool knee_decide_passes(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                        const struct knee_passes *passes, struct verdict *out);

/*
 * As knee_decide, for the points of a search. A search measures each knee again at a later time (search_confirm.h), so
 * that a rise of more than RISE standard deviations is enough here. *passes are the passes over its coarse grid: the
 * more they differ, the higher a knee must rise, but no knee is dropped because one of them does not show it.
 */
bool knee_decide_searched(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                          const struct knee_passes *passes, struct verdict *out);

/*
 * As knee_decide, but stores every place where a knee may be, so that a search measures more points there: rises of any
 * height, and knees of KNEE_STEP and KNEE_JUMP that the second view (lib/knee/plateau.h) does not find.
 */
bool knee_candidates(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                     struct verdict *out);

#endif
