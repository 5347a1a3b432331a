/*
 * How knees are decided: the points are weighed (lib/curve.h); each kind has a file of its own that finds the knees
 * (lib/steps.h, lib/window.h, lib/slope.h, lib/stairs.h). What is between knees is described, and the second view
 * (lib/plateau.h), which has no part in any of this, is asked whether it sees the same.
 */
#include "lib/knee.h"

#include <math.h>
#include <stdlib.h>

#include "lib/curve.h"
#include "lib/plateau.h"
#include "lib/segment.h"
#include "lib/slope.h"
#include "lib/stairs.h"
#include "lib/statistics.h"
#include "lib/steps.h"
#include "lib/window.h"

const char *const knee_kind_names[KNEE_STAIRS + 1] = {"step", "window", "slope", "stairs"};

/* Below this share of the height noise is of no concern for whether a step to twice the height is seen. */
static const double NOISY = 0.25;
/* So many points on the level before show that y has come back to it. */
enum { BACK = 3 };

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

/*
 * Asks the second view about each knee. It looks for levels that are left for good, so where y comes back it is asked
 * about what is before that. What it does not see at all is not told but for `all`.
 */
static bool agree(const struct curve *c, bool all, struct verdict *out)
{
    size_t agreed = 0;

    for (size_t i = 0; i < out->count; i++) {
        struct knee k = out->knees[i];
        size_t back = until_back(&c->s, &k);
        bool rises = false;
        if (!see(c, c->s.count, &k, &rises) || (back < c->s.count && !k.agreed && !see(c, back, &k, &rises)))
            return false;
        if (all || rises)
            out->knees[agreed++] = k;
    }
    if (agreed < out->count && agreed == 0)
        out->reason = "ambiguous";
    out->count = agreed;
    return true;
}

static bool decide(enum knee_kind kind, const struct knee_point *points, size_t count, double step, double outstanding,
                   bool all, struct verdict *out)
{
    struct curve c;
    bool good = true;

    *out = (struct verdict){.reason = NULL};
    if (!curve_load(points, count, step, &c))
        return false;
    c.outstanding = outstanding;
    out->sigma = c.sigma;
    if (c.s.count < POINTS_AT_LEAST)
        out->reason = "too-few-points";
    else if (kind == KNEE_STAIRS)
        good = decide_stairs(&c, out);
    else if (kind == KNEE_SLOPE)
        good = decide_slope(&c, out) && decide_levels(&c, out);
    else {
        good = (kind == KNEE_STEP ? decide_steps : decide_window)(&c, out) &&
               agree(&c, all || kind == KNEE_WINDOW, out) && decide_levels(&c, out);
        if (good && out->count == 0 && c.sigma > NOISY * fabs(out->levels[0].height))
            out->reason = "noise";
    }
    curve_release(&c);
    return good;
}

bool knee_decide(enum knee_kind kind, const struct knee_point *points, size_t count, double step, struct verdict *out)
{
    return decide(kind, points, count, step, RISE_SEEN_ONCE, false, out);
}

bool knee_decide_searched(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                          struct verdict *out)
{
    return decide(kind, points, count, step, RISE, false, out);
}

bool knee_candidates(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                     struct verdict *out)
{
    return decide(kind, points, count, step, 0, true, out);
}
