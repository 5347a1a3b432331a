/*
 * How a verdict is made: the points get their variances (lib/knee/curve.h), the file of the curve's kind finds the
 * knees (lib/knee/steps.h, jump.h, slope.h, staircase.h), the second view checks those of steps and jumps
 * (lib/knee/plateau.h), and the levels between the knees are described.
 */
#include "lib/knee/knee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/knee/curve.h"
#include "lib/knee/jump.h"
#include "lib/knee/passes.h"
#include "lib/knee/plateau.h"
#include "lib/knee/segment.h"
#include "lib/knee/slope.h"
#include "lib/knee/staircase.h"
#include "lib/knee/steps.h"
#include "lib/knee/tolerances.h"

const char *const knee_kind_names[KNEE_STAIRCASE + 1] = {"step", "jump", "slope", "staircase"};

/* Describes the levels between the knees. False when memory is short. */
static bool describe_levels(const struct curve *c, struct verdict *out)
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
        double height = median(scratch, n), least = height;
        for (size_t k = 0; k < n; k++)
            least = fmin(least, scratch[k]);
        n = 0;
        for (size_t k = first; k < end; k++)
            scratch[n++] = fabs(s->y[k] - line_at(&l, s->x[k]));
        double spread = n > 2 ? MAD_TO_SIGMA * median(scratch, n) : c->sigma;
        double y0 = line_at(&l, s->x[first]), growth = line_at(&l, s->x[end - 1]) - y0;
        double sure = c->sigma * SURE / sqrt((double)(end - first));
        out->levels[i] = (struct knee_level){.from = s->x[first],
                                             .to = s->x[end - 1],
                                             .height = height,
                                             .least = least,
                                             .spread = height > 0 || height < 0 ? spread / fabs(height) : 0,
                                             .slope = fabs(growth) > sure && (y0 > 0 || y0 < 0) ? growth / fabs(y0)
                                                                                                : 0};
    }
    free(scratch);
    return true;
}

/* Whether points last + 1 … good all lie above the line through points first … last, by OUTLIER times their scatter. */
static bool all_left(const struct curve *c, size_t first, size_t last, size_t good, double *scratch)
{
    const struct series *s = &c->s;
    const struct line before = series_line(s, first, last + 1, last - first > 2);
    double least = INFINITY;

    for (size_t i = last + 1; i <= good && least > 0; i++)
        least = fmin(least, s->y[i] - line_at(&before, s->x[i]));
    return least > 0 && least > OUTLIER * curve_scatter(c, first, last + 1, scratch);
}

/*
 * Sets the foot of each knee: all points behind it, up to `low`, lie above the level. "Above" is judged by the scatter
 * between neighbours and not by the resolution of a sweep, since what lets points of a level differ acts at the foot of
 * a ramp as well. At least half of the points before the beginning of a ramp belong to the level, whatever they look
 * like, so that the level is known by its own points. False when memory is short.
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
 * Looks at the first `count` points, whose heights are y, with the second view: sets k->agreed where it finds the knee
 * in the interval, with what may be unseen before it, k->half_rise_agreed likewise, and *rises where it sees any rise
 * that overlaps with the knee. False: memory is short.
 */
static bool ask_second_view(const struct curve *c, const double *y, size_t count, struct knee *k, bool *rises)
{
    const struct series *s = &c->s;
    struct departure departures[2 * KNEES_MAXIMUM];
    size_t found = plateau_departures(s->x, y, count, departures, sizeof departures / sizeof departures[0]);

    if (found == (size_t)-1)
        return false;
    /* It may be off by one point beside the interval, and for a ramp by part of its width. */
    double margin = k->ramp ? (k->end - k->value) / BEGIN_MARGIN : 0;
    size_t low = 0, high = count - 1, first = found, inside = 0; /* departures that overlap with the knee */
    while (low + 1 < count && s->x[low + 1] < k->low - k->unseen)
        low++;
    while (high > 0 && s->x[high - 1] > k->high)
        high--;
    size_t last = low; /* the last good point */
    while (last + 1 < count && s->x[last + 1] <= k->value)
        last++;
    const bool jumps = last + 1 < count && s->x[last + 1] >= k->high && plateau_jump(y, count, last);
    k->agreed = k->agreed || jumps;
    *rises = *rises || jumps;
    for (size_t i = 0; i < found; i++) {
        double from = k->ramp ? departures[i].begin : departures[i].low,
               to = k->ramp ? departures[i].begin : departures[i].high;
        k->agreed = k->agreed || (from >= s->x[low] - margin && to <= s->x[high] + margin);
        if (departures[i].end > k->low && departures[i].low < k->end) {
            first = inside ? first : i;
            inside++;
        }
    }
    *rises = *rises || inside > 0;
    double half = NAN;
    if (inside && !plateau_half_rise(s->x, y, &departures[first], inside, &half))
        return false;
    double half_margin = (k->end - k->value) / HALF_RISE_MARGIN + c->step;
    k->half_rise_agreed = k->half_rise_agreed ||
                          (half >= k->half_rise_low - half_margin && half <= k->half_rise_high + half_margin);
    return true;
}

/*
 * Asks the second view about a knee behind a level that slopes: of y less that slope, so that the level is a plateau.
 * The slope is the median of those between points half the level apart (Theil and Sen's, of fewer pairs). `from` is
 * where the level begins. False when memory is short.
 */
static bool ask_without_slope(const struct curve *c, double from, struct knee *k)
{
    const struct series *s = &c->s;
    double *level = malloc((s->count + 1) * sizeof *level), *slopes = malloc((s->count + 1) * sizeof *slopes);
    size_t first = 0, end, pairs = 0;
    bool good = level && slopes, rises = false;

    while (first + 1 < s->count && s->x[first] < from)
        first++;
    for (end = first; end < s->count && s->x[end] <= k->low; end++)
        ;
    const size_t apart = (end - first) / 2;
    if (good && apart >= PLATEAU_POINTS) {
        for (size_t i = first; i + apart < end; i++)
            slopes[pairs++] = (s->y[i + apart] - s->y[i]) / (s->x[i + apart] - s->x[i]);
        const double slope = median(slopes, pairs);
        for (size_t i = 0; i < s->count; i++)
            level[i] = s->y[i] - slope * (s->x[i] - s->x[first]);
        good = ask_second_view(c, level, s->count, k, &rises);
    }
    free(level);
    free(slopes);
    return good;
}

/* The number of points up to where y has come back from a knee; all where it has not. */
static size_t until_back(const struct series *s, const struct knee *k)
{
    double half = k->before + (k->after - k->before) / 2;

    for (size_t i = 0; i + BACK_POINTS <= s->count; i++) {
        size_t under = 0;
        while (s->x[i] >= k->end && under < BACK_POINTS && s->y[i + under] < half)
            under++;
        if (under == BACK_POINTS)
            return i;
    }
    return s->count;
}

/* x at which a rise begins and ends; of a mixture the ends of that, since its points may be anywhere in it. */
static double begin_of(const struct knee *k)
{
    return k->fuzzy ? k->low : k->value;
}

static double end_of(const struct knee *k)
{
    return k->fuzzy ? k->half_rise_high : k->end;
}

/*
 * Whether a level has been left: for half an octave behind the knee, all points but one in LEFT_ONE_IN are nearer to
 * what comes after than to what was before. All points count, also those that were set aside as outliers.
 */
static bool is_left(const struct knee_point *points, size_t count, const struct knee *k, double until)
{
    double half = k->before + (k->after - k->before) / 2;
    size_t n = 0, under = 0;

    for (size_t i = 0; i < count && points[i].x < until; i++)
        if (!isnan(points[i].y) && points[i].x >= end_of(k) &&
            (n < LASTING_POINTS || points[i].x <= LASTING_RATIO * k->value)) {
            n++;
            under += points[i].y < half;
        }
    return LEFT_ONE_IN * under <= n;
}

/* Loads all points that have a y, also those that were set aside as outliers. False when memory is short. */
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
 * Whether y crosses the middle of a knee's rise elsewhere, between the neighbouring knees, more often than structures
 * make it: a stride that conflicts in the middle of the range crosses it twice. More crossings are a wave of
 * alignment, or a core that changes its state. A crossing counts where two neighbours are surely on different sides.
 * All points count, since crests may have been set aside as outliers.
 */
static bool swings(const struct series *s, const struct series *all, const struct knee *k, double from, double until)
{
    double rise = k->after - k->before, half = k->before + rise / 2;
    unsigned crossings = 0;
    bool up = false, known = false;

    for (size_t i = 0, at = 0; i + 1 < all->count && all->x[i] < until; i++) {
        while (at + 1 < s->count && s->x[at] < all->x[i])
            at++;
        double here = all->y[i] - half, next = all->y[i + 1] - half,
               sure = fmin(CROSSING_PART * rise, RISE * sqrt(s->variance[at]));
        if (all->x[i] < from || (all->x[i] > begin_of(k) && all->x[i] < end_of(k)) || here * next <= 0 ||
            !(fmin(fabs(here), fabs(next)) > sure))
            continue;
        crossings += known && up != (here > 0);
        up = here > 0;
        known = true;
    }
    return crossings > CROSSINGS_MAXIMUM;
}

/* Whether a knee is as high as CLEAR times OUTLIER deviations of the level before it. False when memory is short. */
static bool is_clear(const struct curve *c, const struct knee *k, double from)
{
    const struct series *s = &c->s;
    double *scratch = malloc((s->count + 1) * sizeof *scratch), deviation = INFINITY;
    size_t first = 0, end;

    while (first + 1 < s->count && s->x[first] < from)
        first++;
    for (end = first; end < s->count && s->x[end] <= k->low; end++)
        ;
    if (scratch)
        deviation = curve_deviation(c, first, end, scratch);
    free(scratch);
    return k->after - k->before > CLEAR * OUTLIER * deviation;
}

/*
 * Compares each knee with the second view, and drops those that are none. The second view knows only levels that are
 * left for good, so where y comes back it gets the points before that as well. Dropped are knees of steps (not of
 * jumps) where it sees no rise, levels that have not been left, and swings; none is dropped with `all`. Behind a clear
 * rise that it does not see no knee is agreed: it may be the knee of another level than it seems.
 */
static bool compare_views(const struct curve *c, const struct knee_point *points, size_t count, bool all, bool jump,
                          struct verdict *out)
{
    const struct series *s = &c->s;
    struct series every;
    size_t checked = out->count + 1, before = out->count;
    double unseen = INFINITY; /* x of the first clear rise that was dropped */
    bool good = load_all(points, count, &every);

    if (!good)
        return false;
    while (good && checked > out->count) { /* a dropped knee lengthens the range between its neighbours */
        size_t kept = 0;
        checked = out->count;
        for (size_t i = 0; good && i < checked; i++) {
            struct knee k = out->knees[i];
            size_t back = until_back(s, &k);
            double from = kept ? out->knees[kept - 1].end : s->x[0];
            double until = i + 1 < checked ? out->knees[i + 1].value : INFINITY;
            bool rises = false;
            good = ask_second_view(c, s->y, s->count, &k, &rises) &&
                   (back == s->count || k.agreed || ask_second_view(c, s->y, back, &k, &rises)) &&
                   (k.agreed || ask_without_slope(c, from, &k));
            const bool is_knee = is_left(points, count, &k, until) && !swings(s, &every, &k, from, until);
            if (all || ((jump || rises) && is_knee))
                out->knees[kept++] = k;
            else if (is_knee && is_clear(c, &k, from))
                unseen = fmin(unseen, k.value);
        }
        out->count = kept;
    }
    for (size_t i = 0; i < out->count; i++) {
        struct knee *k = &out->knees[i];
        k->agreed = k->agreed && k->value < unseen;
        k->doubtful = !jump &&
                      ((i > 0 && k[-1].doubtful) || steps_level_may_be_several(c, k, i > 0 ? k[-1].end : s->x[0]));
    }
    if (before > 0 && out->count == 0)
        out->reason = REASON_AMBIGUOUS;
    series_free(&every);
    return good;
}

/* Drops the knees that not every pass shows. False when memory is short. */
static bool compare_passes(enum knee_kind kind, const struct knee_point *points, size_t count,
                           const struct knee_passes *passes, struct verdict *out)
{
    size_t kept = 0;
    bool good = true;

    for (size_t i = 0; i < out->count; i++)
        if (passes_show(kind, points, count, passes, &out->knees[i], &good))
            out->knees[kept++] = out->knees[i];
    if (kept < out->count && kept == 0)
        out->reason = REASON_PASSES_DISAGREE;
    out->count = kept;
    return good;
}

/*
 * Steps between levels that are flat, or nearly so. Where there are none, the levels may slope more than that and still
 * much less than the rise between them: then one great rise is looked for, as in a curve of KNEE_JUMP.
 */
static bool find_steps(const struct curve *c, struct verdict *out)
{
    bool good = decide_steps(c, out), monotone = out->monotone;

    if (!good || out->count > 0)
        return good;
    good = decide_jump(c, out);
    out->monotone = monotone;
    return good;
}

/* What the public functions differ in. */
struct manner {
    double least_rise;                /* deviations that a knee must rise by; 0: any */
    bool all;                         /* report also what the second view does not see */
    const struct knee_passes *passes; /* NULL: nothing is known of passes */
    bool confirmed;                   /* a search confirms the knees: passes drop none */
};

static bool decide_points(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                          const struct manner *manner, struct verdict *out)
{
    struct curve c;
    bool good = true;

    *out = (struct verdict){.reason = REASON_NONE};
    if (!curve_load(points, count, step, manner->all || manner->confirmed, &c))
        return false;
    c.least_rise = manner->least_rise;
    good = !manner->passes || passes_deviation(points, count, manner->passes, &c.common, &c.common_places);
    out->sigma = c.sigma;
    if (c.s.count < POINTS_AT_LEAST)
        out->reason = REASON_TOO_FEW_POINTS;
    else if (kind == KNEE_STAIRCASE)
        good = good && decide_staircase(&c, out);
    else if (kind == KNEE_SLOPE)
        good = good && decide_slope(&c, out);
    else
        good = good && (kind == KNEE_STEP ? find_steps : decide_jump)(&c, out) &&
               compare_views(&c, points, count, manner->all, kind == KNEE_JUMP, out);
    if (good && kind != KNEE_STAIRCASE && c.s.count >= POINTS_AT_LEAST) {
        good = (!manner->passes || manner->confirmed || compare_passes(kind, points, count, manner->passes, out)) &&
               describe_levels(&c, out) && find_feet(&c, out);
        if (good && kind != KNEE_SLOPE && out->count == 0 && c.sigma > NOISY * fabs(out->levels[0].height))
            out->reason = REASON_NOISE;
    }
    curve_release(&c);
    return good;
}

bool knee_decide(enum knee_kind kind, const struct knee_point *points, size_t count, double step, struct verdict *out)
{
    return decide_points(kind, points, count, step, &(struct manner){.least_rise = RISE_SEEN_ONCE}, out);
}

bool knee_decide_passes(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                        const struct knee_passes *passes, struct verdict *out)
{
    const struct manner manner = {.least_rise = RISE_SEEN_ONCE, .passes = passes->count ? passes : NULL};

    return decide_points(kind, points, count, step, &manner, out);
}

bool knee_decide_searched(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                          const struct knee_passes *passes, struct verdict *out)
{
    const struct manner manner = {.least_rise = RISE, .passes = passes, .confirmed = true};

    return decide_points(kind, points, count, step, &manner, out);
}

bool knee_candidates(enum knee_kind kind, const struct knee_point *points, size_t count, double step,
                     struct verdict *out)
{
    return decide_points(kind, points, count, step, &(struct manner){.all = true}, out);
}
