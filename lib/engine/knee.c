/*
 * How knees are decided: the points are weighed (lib/engine/curve.h); each kind has a file of its own that finds the knees
 * (lib/engine/steps.h, lib/engine/window.h, lib/engine/slope.h, lib/engine/stairs.h). What is between knees is
 * described, and the second view (lib/engine/plateau.h), which has no part in any of this, is asked whether it sees the
 * same.
 */
#include "lib/engine/knee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/engine/curve.h"
#include "lib/engine/passes.h"
#include "lib/engine/plateau.h"
#include "lib/engine/segment.h"
#include "lib/engine/slope.h"
#include "lib/engine/stairs.h"
#include "lib/engine/statistics.h"
#include "lib/engine/steps.h"
#include "lib/engine/window.h"

const char *const knee_kind_names[KNEE_STAIRS + 1] = {"step", "window", "slope", "stairs"};

/* Below this share of the height noise is of no concern for whether a step to twice the height is seen. */
static const double NOISY = 0.25;
/* So many points on the level before show that y has come back to it. */
enum { BACK = 3 };
/* A level that has been left lasts for half an octave, and for so many points. */
static const double LASTING_RATIO = 1.4142;
enum { LASTING_POINTS = 4 };
enum { TURNS_MAXIMUM = 3 };

/* What the curve is like between its knees. */
static bool decide_levels(const struct curve *c, struct verdict *out)
{
    const struct series *s = &c->s;
    const struct knee *knees = out->knees;
    size_t count = out->count;
    double *scratch = malloc((s->count + 1) * sizeof *scratch);

    if (!scratch)
        return false;
    out->level_count = count + 1;
    for (size_t i = 0; i <= count; i++) {
        double from = i ? knees[i - 1].end : s->x[0], to = i < count ? knees[i].value : s->x[s->count - 1];
        size_t first = 0, end, n = 0;
        while (first + 1 < s->count && s->x[first] < from)
            first++;
        for (end = first + 1; end < s->count && s->x[end] <= to; end++)
            ;
        struct line l = series_line(s, first, end, end - first > 3);
        for (size_t k = first; k < end; k++)
            scratch[n++] = s->y[k];
        double height = median(scratch, n);
        n = 0;
        for (size_t k = first; k < end; k++)
            scratch[n++] = fabs(s->y[k] - line_at(&l, s->x[k]));
        double spread = n > 2 ? MAD_TO_SIGMA * median(scratch, n) : c->sigma;
        double y0 = line_at(&l, s->x[first]), growth = line_at(&l, s->x[end - 1]) - y0;
        double sure = c->sigma * 3 / sqrt((double)(end - first));
        out->levels[i] = (struct knee_level){.from = s->x[first],
                                             .to = s->x[end - 1],
                                             .height = height,
                                             .spread = height > 0 || height < 0 ? spread / fabs(height) : 0,
                                             .slope = fabs(growth) > sure && (y0 > 0 || y0 < 0) ? growth / fabs(y0)
                                                                                                : 0};
    }
    free(scratch);
    return true;
}

/* Whether the points behind `last` up to `good` all lie further above the line through those up to it than these scatter. */
static bool all_left(const struct curve *c, size_t first, size_t last, size_t good, double *scratch)
{
    const struct series *s = &c->s;
    const struct line before = series_line(s, first, last + 1, last - first > 2);
    double least = INFINITY;

    for (size_t i = last + 1; i <= good && least > 0; i++)
        least = fmin(least, s->y[i] - line_at(&before, s->x[i]));
    return least > 0 && least > SPIKE * curve_scatter(c, first, last + 1, scratch);
}

/*
 * Points of a level may differ for reasons of their own, by much more than they scatter; but so does the foot of a ramp.
 * More than half of the points up to where it is told to begin are no foot, or the level would be told by what is not
 * of it.
 */
static bool find_feet(const struct curve *c, struct verdict *out)
{
    const struct series *s = &c->s;
    double *scratch = malloc((s->count + 1) * sizeof *scratch);
    const bool ready = scratch != NULL;

    for (size_t i = 0, first = 0; ready && i < out->count; i++) {
        struct knee *k = &out->knees[i];
        size_t good = first;
        while (good + 1 < s->count && s->x[good + 1] <= k->low)
            good++;
        size_t last = k->ramp && !k->fuzzy ? first + (good - first + 1) / 2 : good;
        while (last < good && !all_left(c, first, last, good, scratch))
            last++;
        k->foot = last < good ? s->x[last] : k->low;
        for (first = good; first + 1 < s->count && s->x[first] < k->end; first++)
            ;
    }
    free(scratch);
    return ready;
}

/*
 * Whether the second view of the first `count` points finds a knee, and half of it, in their intervals; and whether it
 * sees a rise there at all.
 */
static bool see(const struct curve *c, size_t count, struct knee *k, bool *rises)
{
    const struct series *s = &c->s;
    struct departure seen[2 * KNEES_MAXIMUM];
    size_t found = plateau_departures(s->x, s->y, count, seen, sizeof seen / sizeof seen[0]);

    if (found == (size_t)-1)
        return false;
    /* a neighbour of the interval's ends at most away, and for a ramp a tenth of its width */
    double margin = k->ramp ? (k->end - k->value) / 10 : 0;
    size_t low = 0, high = count - 1, first = found, inside = 0; /* rises that share some of this one */
    while (low + 1 < count && s->x[low + 1] < k->low)
        low++;
    while (high > 0 && s->x[high - 1] > k->high)
        high--;
    for (size_t i = 0; i < found; i++) {
        double from = k->ramp ? seen[i].begin : seen[i].low, to = k->ramp ? seen[i].begin : seen[i].high;
        k->agreed = k->agreed || (from >= s->x[low] - margin && to <= s->x[high] + margin);
        if (seen[i].end > k->low && seen[i].low < k->end) {
            first = inside ? first : i;
            inside++;
        }
    }
    *rises = *rises || inside > 0;
    double half = inside ? plateau_half(s->x, s->y, &seen[first], inside) : (double)NAN;
    double half_margin = (k->end - k->value) / 20 + c->step;
    k->half_agreed = k->half_agreed || (half >= k->half_low - half_margin && half <= k->half_high + half_margin);
    return true;
}

/* The points up to where y has come back from a knee; all where it has not. */
static size_t until_back(const struct series *s, const struct knee *k)
{
    double half = k->before + (k->after - k->before) / 2;

    for (size_t i = 0; i + BACK <= s->count; i++) {
        size_t under = 0;
        while (s->x[i] >= k->end && under < BACK && s->y[i + under] < half)
            under++;
        if (under == BACK)
            return i;
    }
    return s->count;
}

/* Where the rise begins and is over, as far as single points tell: those of a mixture may be anywhere in it. */
static double begins(const struct knee *k)
{
    return k->fuzzy ? k->low : k->value;
}

static double over(const struct knee *k)
{
    return k->fuzzy ? k->half_high : k->end;
}

/*
 * Whether a level is left: for half an octave all points but one in five are nearer to what comes after, those too that
 * are so far from their neighbours that they were set aside.
 */
static bool is_left(const struct knee_point *points, size_t count, const struct knee *k, double until)
{
    double half = k->before + (k->after - k->before) / 2;
    size_t n = 0, under = 0;

    for (size_t i = 0; i < count && points[i].x < until; i++)
        if (!isnan(points[i].y) && points[i].x >= over(k) &&
            (n < LASTING_POINTS || points[i].x <= LASTING_RATIO * k->value)) {
            n++;
            under += points[i].y < half;
        }
    return 5 * under <= n;
}

/* All points that gave something: those too that were set aside. False when memory is short. */
static bool load_all(const struct knee_point *points, size_t count, struct series *out)
{
    size_t n = 0;

    if (!series_make(out, count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!isnan(points[i].y)) {
            out->x[n] = points[i].x;
            out->y[n++] = points[i].y;
        }
    out->count = n;
    return true;
}

/*
 * Whether y goes up and down by what the knee rises, before and behind it, up to the knees on its sides, more often
 * than structures make it: down from where some spacing conflicts, before, and behind once more. What swings on is a
 * wave of alignment, or a core that changes its state. It is on a side where two neighbours are: among all points,
 * since crests may have been set aside.
 */
static bool swings(const struct series *s, const struct series *all, const struct knee *k, double from, double until)
{
    double rise = k->after - k->before, half = k->before + rise / 2;
    unsigned turns = 0;
    bool up = false, known = false;

    for (size_t i = 0, at = 0; i + 1 < all->count && all->x[i] < until; i++) {
        while (at + 1 < s->count && s->x[at] < all->x[i])
            at++;
        double here = all->y[i] - half, next = all->y[i + 1] - half,
               sure = fmin(rise / 8, RISE * sqrt(s->variance[at]));
        if (all->x[i] < from || (all->x[i] > begins(k) && all->x[i] < over(k)) || here * next <= 0 ||
            !(fmin(fabs(here), fabs(next)) > sure))
            continue;
        turns += known && up != (here > 0);
        up = here > 0;
        known = true;
    }
    return turns > TURNS_MAXIMUM;
}

/*
 * Asks the second view about each knee. It looks for levels that are left for good, so where y comes back it is asked
 * about what is before that. What it does not see at all is not told but for `all`.
 */
static bool agree(const struct curve *c, const struct knee_point *points, size_t count, bool all, bool window,
                  struct verdict *out)
{
    const struct series *s = &c->s;
    struct series every;
    size_t told = out->count + 1, before = out->count;
    bool good = load_all(points, count, &every);

    if (!good)
        return false;
    while (good && told > out->count) { /* what is between knees is more where one fewer is told */
        size_t kept = 0;
        told = out->count;
        for (size_t i = 0; good && i < told; i++) {
            struct knee k = out->knees[i];
            size_t back = until_back(s, &k);
            double from = kept ? out->knees[kept - 1].end : s->x[0];
            double until = i + 1 < told ? out->knees[i + 1].value : INFINITY;
            bool rises = false;
            good = see(c, s->count, &k, &rises) && (back == s->count || k.agreed || see(c, back, &k, &rises));
            if (all || ((window || rises) && is_left(points, count, &k, until) && !swings(s, &every, &k, from, until)))
                out->knees[kept++] = k;
        }
        out->count = kept;
    }
    if (before > 0 && out->count == 0)
        out->reason = "ambiguous";
    series_free(&every);
    return good;
}

/* Drops the knees that the passes over the points do not bear out. */
static bool keep_what_repeats(enum knee_kind kind, const struct knee_point *points, size_t count,
                              const struct knee_passes *passes, struct verdict *out)
{
    size_t kept = 0;
    bool good = true;

    for (size_t i = 0; i < out->count; i++)
        if (passes_bear_out(kind, points, count, passes, &out->knees[i], &good))
            out->knees[kept++] = out->knees[i];
    if (kept < out->count && kept == 0)
        out->reason = "passes-disagree";
    out->count = kept;
    return good;
}

/*
 * Steps between levels that are flat, or nearly so. Where there are none levels may slope more than that, and yet much
 * less than what is between them: then it is the one great rise that is told, as in a window.
 */
static bool find_steps(const struct curve *c, struct verdict *out)
{
    bool good = decide_steps(c, out), monotone = out->monotone;

    if (!good || out->count > 0)
        return good;
    good = decide_window(c, out);
    out->monotone = monotone;
    return good;
}

/* What is known of the points besides themselves. */
struct manner {
    double outstanding;
    bool all; /* also what the second view does not see */
    const struct knee_passes *passes;
    bool confirmed; /* and not by these passes */
};

static bool decide(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                   const struct manner *manner, struct verdict *out)
{
    struct curve c;
    bool good = true;

    *out = (struct verdict){.reason = NULL};
    if (!curve_load(points, count, step, &c))
        return false;
    c.outstanding = manner->outstanding;
    good = !manner->passes || passes_apart(points, count, manner->passes, &c.together, &c.places);
    out->sigma = c.sigma;
    if (c.s.count < POINTS_AT_LEAST)
        out->reason = "too-few-points";
    else if (kind == KNEE_STAIRS)
        good = good && decide_stairs(&c, out);
    else if (kind == KNEE_SLOPE)
        good = good && decide_slope(&c, out);
    else
        good = good && (kind == KNEE_STEP ? find_steps : decide_window)(&c, out) &&
               agree(&c, points, count, manner->all, kind == KNEE_WINDOW, out);
    if (good && kind != KNEE_STAIRS && c.s.count >= POINTS_AT_LEAST) {
        good = (!manner->passes || manner->confirmed || keep_what_repeats(kind, points, count, manner->passes, out)) &&
               decide_levels(&c, out) && find_feet(&c, out);
        if (good && kind != KNEE_SLOPE && out->count == 0 && c.sigma > NOISY * fabs(out->levels[0].height))
            out->reason = "noise";
    }
    curve_release(&c);
    return good;
}

bool knee_decide(enum knee_kind kind, const struct knee_point *points, size_t count, double step, struct verdict *out)
{
    return decide(kind, points, count, step, &(struct manner){.outstanding = RISE_SEEN_ONCE}, out);
}

bool knee_decide_passes(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                        const struct knee_passes *passes, struct verdict *out)
{
    const struct manner manner = {.outstanding = RISE_SEEN_ONCE, .passes = passes->count ? passes : NULL};

    return decide(kind, points, count, step, &manner, out);
}

bool knee_decide_searched(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                          const struct knee_passes *passes, struct verdict *out)
{
    const struct manner manner = {.outstanding = RISE, .passes = passes, .confirmed = true};

    return decide(kind, points, count, step, &manner, out);
}

bool knee_candidates(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                     struct verdict *out)
{
    return decide(kind, points, count, step, &(struct manner){.all = true}, out);
}
