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

/* Whether the second view finds each knee, and half of it, in their intervals. */
static bool agree(const struct curve *c, struct knee *knees, size_t count)
{
    const struct series *s = &c->s;
    struct departure seen[2 * KNEES_MAXIMUM];
    size_t found = plateau_departures(s->x, s->y, s->count, seen, sizeof seen / sizeof seen[0]);

    if (found == (size_t)-1)
        return false;
    for (size_t i = 0; i < count; i++) {
        /* a neighbour of the interval's ends at most away, and for a ramp a tenth of its width */
        double margin = (knees[i].ramp ? (knees[i].end - knees[i].value) / 10 : 0);
        size_t low = 0, high = s->count - 1;
        while (low + 1 < s->count && s->x[low + 1] < knees[i].low)
            low++;
        while (high > 0 && s->x[high - 1] > knees[i].high)
            high--;
        size_t first = found, inside = 0; /* rises that share some of this one */
        for (size_t k = 0; k < found; k++) {
            knees[i].agreed = knees[i].agreed ||
                              (seen[k].low >= s->x[low] - margin && seen[k].high <= s->x[high] + margin);
            if (seen[k].high >= knees[i].low && seen[k].low < knees[i].end) {
                first = inside ? first : k;
                inside++;
            }
        }
        double half = inside ? plateau_half(s->x, s->y, &seen[first], inside) : (double)NAN;
        double half_margin = (knees[i].end - knees[i].value) / 20 + c->step;
        knees[i].half_agreed = half >= knees[i].half_low - half_margin && half <= knees[i].half_high + half_margin;
    }
    return true;
}

bool knee_decide(enum knee_kind kind, const struct knee_point *points, size_t count, double step, struct verdict *out)
{
    struct curve c;
    bool good = true;

    *out = (struct verdict){.reason = NULL};
    if (!curve_load(points, count, step, &c))
        return false;
    out->sigma = c.sigma;
    if (c.s.count < POINTS_AT_LEAST)
        out->reason = "too-few-points";
    else if (kind == KNEE_STAIRS)
        good = decide_stairs(&c, out);
    else if (kind == KNEE_SLOPE)
        good = decide_slope(&c, out) && decide_levels(&c, out);
    else {
        good = (kind == KNEE_STEP ? decide_steps : decide_window)(&c, out) && agree(&c, out->knees, out->count) &&
               decide_levels(&c, out);
        if (good && out->count == 0 && c.sigma > NOISY * fabs(out->levels[0].height))
            out->reason = "noise";
    }
    curve_release(&c);
    return good;
}
