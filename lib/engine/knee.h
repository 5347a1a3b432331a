/*
 * Where does a curve leave its level, and how sure is that? Decides about points that are there; measuring
 * more of them is lib/engine/search.h's.
 *
 * A structure of capacity N makes x <= N good and x > N bad. A knee is told as the interval [low, high): low is
 * the last x that is surely good, high the first that is surely bad, and the truth lies in it with 95 % at least.
 *
 * A level that is left for half an octave has been left, also when y comes back to it later: that is a knee, and the
 * curve is not monotone. Where y rises once more that is another knee. What comes back sooner was never left.
 *
 * Two views look at each curve and know nothing of each other. The main one cuts the curve into pieces of straight
 * line, each with its own slope and height, by least squares (methods 16, A). The second one uses no sums of
 * squares and no lines: see lib/engine/plateau.h. Where the second does not find the knee in the interval of the first, the
 * knee is not `agreed`; where it sees no rise at all from before the end of a knee of KNEE_STEP to behind its
 * beginning, that is not told. Nor is what y swings back and forth by, nor what smooth curves explain as well.
 *
 * Only + - * / and sqrt: the same points give the same verdict, to the last digit, in every build.
 */
#ifndef FATHOM_LIB_ENGINE_KNEE_H
#define FATHOM_LIB_ENGINE_KNEE_H

#include <stdbool.h>
#include <stddef.h>

enum knee_kind {
    KNEE_STEP,   /* any number of levels, each left by a step or a ramp: caches, TLBs, BTBs */
    KNEE_WINDOW, /* two levels, which may slope, and a step or a ramp between them: reorder buffer, queues */
    KNEE_SLOPE,  /* a line that becomes steeper: return stack */
    KNEE_STAIRS, /* steps of equal width and height: fetch width. A knee's value is the width of a stair in x */
};
/* "step", "window", "slope", "stairs" */
extern const char *const knee_kind_names[KNEE_STAIRS + 1];

enum { KNEES_MAXIMUM = 8 };

struct knee_point {
    double x;     /* ascending, no two alike */
    double y;     /* NaN: was measured and gave nothing */
    double error; /* standard error of y as repetitions at this x tell it; 0 where they repeat exactly; NaN: unknown */
};

/*
 * What passes over the same points gave, one after the other in time, each by itself. What lives in time, a drift,
 * another state of the core, a burst, is at another x in each; what lives in x is in all of them.
 */
enum { KNEE_PASSES = 3 };
struct knee_passes {
    size_t count; /* 0: nothing is known of time; else 2 … KNEE_PASSES */
    double *y;    /* y[pass * points + point]; NaN: none */
};

struct knee {
    double value;         /* the last good x, at best knowledge */
    double low, high;     /* last surely good, first surely bad */
    double foot;          /* of a ramp: last x up to low that is on the level before, by what that scatters; else low */
    double before, after; /* y on either side: where the level is left, and where the rise ends */
    double end;           /* x where the rise has ended; `high` or a little more for a step */
    double half, half_low,
        half_high;    /* x where y is half way between the levels on its sides, and the interval of that */
    bool ramp;        /* the rise takes more than a step: value is where it begins */
    bool agreed;      /* the second view says so too */
    bool half_agreed; /* of half */
    bool fuzzy;       /* good and bad points mix around the knee: low and high are first and last of the mixture */
};

/* A stretch of the curve between knees. */
struct knee_level {
    double from, to; /* x of its first and last point */
    double height;   /* median of y */
    double spread;   /* relative to height, robust: how far its points scatter around its line */
    double slope;    /* relative growth of y from its first to its last point, by its line; 0 where flat */
};

struct verdict {
    const char *reason; /* NULL where at least one knee is decided. Else why not, in a word that a record can carry:
                            * "no-knee", "too-few-points", "noise", "not-left", "ambiguous", "passes-disagree" */
    double sigma;       /* standard deviation of a point, as found; 0: the curve repeats exactly */
    bool monotone;      /* y never falls by more than noise (KNEE_STEP and KNEE_WINDOW) */
    size_t count;       /* knees, ascending in x; at most one for KNEE_WINDOW, KNEE_SLOPE, KNEE_STAIRS */
    size_t level_count; /* levels; count + 1 where knees were found */
    struct knee knees[KNEES_MAXIMUM];
    struct knee_level levels[KNEES_MAXIMUM + 1];
};

/*
 * Decides. `step` is the finest difference of x that means something (1 for entries, a line for bytes); 0: the
 * smallest difference that occurs. Memory is linear in `count`, time at most count * log(count) but for a constant
 * number of pieces. False only when memory is short.
 */
bool knee_decide(enum knee_kind kind, const struct knee_point *points, size_t count, double step, struct verdict *out);

/* The same, where it is known what each pass over the points gave: what most passes do not bear out is not told. */
bool knee_decide_passes(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                        const struct knee_passes *passes, struct verdict *out);

/*
 * The same for points of a search, which looks at each knee a second time before it is told: a lower one will do. What
 * the passes over its coarse grid say is used to tell how much time does.
 */
bool knee_decide_searched(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                          const struct knee_passes *passes, struct verdict *out);

/* The same, with knees that the second view knows nothing of: where more points might show one. */
bool knee_candidates(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                     struct verdict *out);

#endif
