#include "lib/knee/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/knee/rise.h"
#include "lib/knee/segment.h"
#include "lib/knee/smooth.h"
#include "lib/knee/tolerances.h"

/* A level: one piece, or several at one height, that are flat or nearly so. */
struct level_piece {
    size_t first, end;
    double from, to;                /* heights at its first and its last point */
    double deviation, error;        /* of a point; standard error of `from` and `to` */
    double height;                  /* of its longest piece; NaN: unknown */
    size_t longest;                 /* points of that */
    size_t last_piece, first_piece; /* where its last piece begins, where its first one ends */
    bool last_sloped, first_sloped;
    bool hidden; /* it may exist at the beginning of a piece that rises from the first point on */
};

/* Whether a piece connects two flat ones of different height without a jump: it is a ramp, however gentle. */
static bool is_gentle_ramp(const struct curve *c, const struct piece *p, const struct piece *before,
                           const struct piece *after)
{
    const struct series *s = &c->s;
    double a = before->line.at, b = after->line.at, noise = RISE * sqrt(s->variance[p->first]);

    return p->sloped && !before->sloped && !after->sloped && fabs(b - a) > noise &&
           fabs(line_at(&p->line, s->x[p->first]) - a) < noise && fabs(line_at(&p->line, s->x[p->end - 1]) - b) < noise;
}

/* Distance between the lines of two pieces where the first one ends: about 0 where the second is a ramp. */
static double gap_between(const struct curve *c, const struct piece *before, const struct piece *p)
{
    double x = c->s.x[before->end - 1];
    return fabs(line_at(&p->line, x) - line_at(&before->line, x));
}

/*
 * Whether the points of a piece alternate between two levels: they are far from its line, more of them than outliers
 * explain, and as far from their neighbours. (In a curved piece points are far from the line, too, but near their
 * neighbours. The ratio is von Neumann's: Annals of Mathematical Statistics 12, 1941.)
 */
static bool is_mixture(const struct curve *c, const struct piece *p)
{
    const struct series *s = &c->s;
    double differences = 0;

    for (size_t i = p->first + 1; i < p->end; i++)
        differences += (s->y[i] - s->y[i - 1]) * (s->y[i] - s->y[i - 1]) / s->variance[i];
    return p->line.cost > MIXED * (double)(p->end - p->first) && differences > p->line.cost;
}

/* Whether a piece is a level: flat, or sloping little for its height, or rising much less than its distance from the
 * piece before; of the first piece, from the one after. */
static bool is_level(const struct curve *c, const struct piece *p, bool first, bool last)
{
    if (is_mixture(c, p))
        return false;
    double x0 = c->s.x[p->first], x1 = c->s.x[p->end - 1], y0 = line_at(&p->line, x0), y1 = line_at(&p->line, x1);

    if (!p->sloped)
        return p->end - p->first >= 2;
    double from = fmax(x0, c->step), to = fmax(x1, from), noise = RISE * sqrt(c->s.variance[p->first]);
    double off = first ? (last ? 0 : gap_between(c, p, p + 1)) : gap_between(c, p - 1, p);
    bool follows = first || line_at(&p->line, c->s.x[p[-1].end - 1]) > line_at(&p[-1].line, c->s.x[p[-1].end - 1]);
    if (follows && off > noise && off > LEVEL_APART * fabs(y1 - y0))
        return true;
    return fabs(y1 - y0) <= LEVEL_SLOPE * octaves(from, to) * fmax(fabs(y0), fabs(y1));
}

/* Whether a piece is short beside two rising ones that it connects without a jump: one ramp that is not quite
 * straight. */
static bool part_of_ramp(const struct curve *c, const struct piece *p)
{
    const struct series *s = &c->s;
    const struct piece *before = p - 1, *after = p + 1;
    double noise = RISE * sqrt(s->variance[p->first]);
    double length = s->x[p->end - 1] - s->x[p->first];
    double shorter = fmin(s->x[before->end - 1] - s->x[before->first], s->x[after->end - 1] - s->x[after->first]);
    double from = line_at(&p->line, s->x[p->first]) - line_at(&before->line, s->x[p->first]);
    double to = line_at(&after->line, s->x[after->first]) - line_at(&p->line, s->x[p->end - 1]);

    return before->sloped && after->sloped && before->line.slope > 0 && after->line.slope > 0 &&
           length < BENT_PART * shorter && fabs(from) < noise && fabs(to) < noise;
}

/*
 * Whether a piece is the flatter beginning of a ramp: it rises from a flat piece without a jump, and leads without a
 * jump into a steeper piece that is longer than it is.
 */
static bool begins_ramp(const struct curve *c, const struct piece *p)
{
    const double *x = c->s.x, noise = RISE * sqrt(c->s.variance[p->first]);
    const struct line *before = &p[-1].line, *toe = &p->line, *ramp = &p[1].line;
    const size_t first = p->first, last = p->end - 1;
    const double off = line_at(toe, x[first]) - line_at(before, x[first]);
    const double gap = line_at(ramp, x[last]) - line_at(toe, x[last]);

    return !p[-1].sloped && p->sloped && p[1].sloped && toe->slope > 0 && ramp->slope > toe->slope &&
           x[last] - x[first] < TOE_PART * (x[p[1].end - 1] - x[p[1].first]) &&
           fabs(off) < noise + toe->slope * (x[first] - x[first - 1]) &&
           fabs(gap) < noise + ramp->slope * (x[last + 1] - x[last]);
}

/* Sum of the squared distances of points first … end - 1 from a line, not weighed. */
static double squares_about(const struct series *s, size_t first, size_t end, const struct line *l)
{
    double squares = 0;

    for (size_t i = first; i < end; i++) {
        const double off = s->y[i] - line_at(l, s->x[i]);
        squares += off * off;
    }
    return squares;
}

/* Deviation of a point of a piece: by its variance, or by how far the points are off the line, whichever is less. */
static double deviation_of(const struct curve *c, const struct piece *p)
{
    const double given = sqrt(c->s.variance[p->first]), free = (double)(p->end - p->first) - (p->sloped ? 2 : 1);

    if (free < 2)
        return given;
    const double seen = sqrt(squares_about(&c->s, p->first, p->end, &p->line) / free) * few_points(free);
    return fmin(given, fmax(seen, c->least_difference));
}

/*
 * Finds the levels among the pieces; pieces that follow each other at one height are one level. The ends are special.
 * Where the curve rises from its first piece on, a short level may be hidden there; the fit of the rise shows whether
 * it exists. Where the curve rises up to its last piece, its last point stands for the level that comes after.
 * Returns the number of levels.
 */
static size_t find_levels(const struct curve *c, const struct piece *pieces, size_t count, struct level_piece *levels,
                          bool *monotone, double *scratch)
{
    const struct series *s = &c->s;
    bool level = false; /* the piece before is one */
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        const struct piece *p = &pieces[i];
        double from = line_at(&p->line, s->x[p->first]), to = line_at(&p->line, s->x[p->end - 1]);
        double deviation = deviation_of(c, p), noise = RISE * deviation,
               error = deviation / sqrt((double)(p->end - p->first));
        double jump = i > 0 ? fabs(from - line_at(&p[-1].line, s->x[p->first - 1])) : INFINITY;
        bool gentle = is_level(c, p, i == 0, i + 1 == count) &&
                      !(i > 0 && i + 1 < count && is_gentle_ramp(c, p, p - 1, p + 1));
        /* A piece that slopes and begins where the one before ends continues that level, which is curved. */
        bool continues = gentle && p->sloped && i > 0 && jump < fmax(noise, fabs(to - from));
        level = gentle && !(continues && !level && p->end - p->first < p[-1].end - p[-1].first) &&
                !(i > 0 && i + 1 < count && (part_of_ramp(c, p) || begins_ramp(c, p)));
        if (!gentle && to < from)
            *monotone = false;
        struct level_piece l = {p->first,          p->end,   from,   to,        deviation, error, (from + to) / 2,
                                p->end - p->first, p->first, p->end, p->sloped, p->sloped, false};
        bool first = i == 0 && count > 1 && to > from, last = i + 1 == count && n > 0 && to > from;
        if (!level && first) {
            l.hidden = true;
            l.end = l.first_piece = p->first + 1;
            l.to = from;
            l.height = (double)NAN;
            l.first_sloped = l.last_sloped = false;
        } else if (!level && last) {
            l.first = l.last_piece = p->end - 1;
            l.from = l.height = to;
            l.first_sloped = l.last_sloped = false;
        } else if (!level) {
            continue;
        }
        struct level_piece *before = n > 0 ? &levels[n - 1] : NULL;
        /* both pieces show the noise, and the variance of one of them may be an upper limit that is far above it */
        double apart = before ? fmin(noise, RISE * curve_deviation(c, before->last_piece, p->end, scratch)) : noise;
        bool same = before && !before->hidden &&
                    fabs(l.from - before->to) <= sqrt(apart * apart / 2 + error * error * RISE * RISE / 2);
        if (!same && !(continues && before && before->end == p->first)) {
            levels[n++] = l;
            continue;
        }
        /* The remainder of a rise may be a short piece at about this height: the longest piece gives the height. */
        if (l.longest > before->longest) {
            before->height = l.height;
            before->longest = l.longest;
        }
        before->end = l.end;
        before->to = l.to;
        before->last_piece = l.last_piece;
        before->last_sloped = l.last_sloped;
    }
    return n;
}

/* Whether a level lasts long enough to count as reached, also when y comes back later. */
static bool lasts(const struct series *s, const struct level_piece *l)
{
    double from = fmax(s->x[l->first], s->x[l->first + 1] - s->x[l->first]);
    return l->end - l->first >= LASTING_POINTS && s->x[l->end - 1] >= LASTING_RATIO * from;
}

/*
 * Removes levels that do not last and behind which y begins nearer to the level before: it has not been left yet, and
 * the rise from there reaches to the next level. Returns how many levels remain.
 */
static size_t drop_returns(const struct series *s, struct level_piece *levels, size_t n)
{
    size_t kept = n > 0;

    for (size_t i = 1; i < n; i++) {
        const struct level_piece *before = &levels[kept - 1], *l = &levels[i];
        const bool last = i + 1 == n || l->end >= s->count;
        if (last || before->hidden || lasts(s, l) || !(l->from > before->to) ||
            !(s->y[l->end] < (before->to + l->from) / 2))
            levels[kept++] = *l;
    }
    return kept;
}

/*
 * Finds the rises between levels, from the last one back. A rise counts where all that follows stays higher, or where
 * the level that it reaches lasts. Of more rises than there is room for the first ones are kept. Returns their
 * number, in descending order.
 */
static size_t find_rises(const struct curve *c, const struct level_piece *levels, size_t n, struct rise *rises,
                         bool *monotone)
{
    const struct series *s = &c->s;
    double beyond = INFINITY;
    size_t found = 0;

    for (size_t i = n; i-- > 0;) {
        const struct level_piece *l = &levels[i], *next = &levels[i + 1];
        double tolerance = RISE * l->error + RISE * l->deviation / 2;
        bool counts = l->to + tolerance < beyond || (i + 1 < n && next->from > l->to + tolerance && lasts(s, next));
        beyond = fmin(beyond, l->to);
        if (i + 1 == n)
            continue;
        bool open = next->first + 1 == s->count;
        if (next->from < l->to)
            *monotone = false;
        if (!counts || !(next->from > l->to) || (l->hidden && open))
            continue;
        if (found == KNEES_MAXIMUM) {
            memmove(&rises[0], &rises[1], (found - 1) * sizeof rises[0]);
            found--;
        }
        size_t margin = RISE_MARGIN + (next->first - l->end), first = l->last_piece, end = next->first_piece;
        size_t least = l->end - first > 2 ? 1 : 0; /* a level has two points */
        struct rise r = {.first = first, .end = end, .from = first + least, .to = end - 1, .hidden = l->hidden};
        if (l->end > first + margin + least)
            r.from = l->end - margin;
        if (open)
            r.to = s->count;
        else if (next->first + margin + 1 < end)
            r.to = next->first + margin;
        r.slope_before = l->last_sloped;
        r.slope_after = next->first_sloped;
        r.before = l->height;
        r.after = next->height;
        rises[found++] = r;
    }
    return found;
}

/* Adds a rise to the knees of the verdict. False where it is no knee. */
static bool add_rise(const struct curve *c, const struct rise *r, struct verdict *out, bool *good)
{
    struct knee *k = &out->knees[out->count];

    /* two rises that begin at the same point are one */
    if (!rise_decide(c, r, NULL, k, good) || (out->count > 0 && !(k->value > k[-1].value)) ||
        !stands_out(c, r->first, r->end, k, good))
        return false;
    out->count++;
    return true;
}

/* One rise from the beginning of the first to the end of the second. */
static struct rise join_rises(const struct rise *first, const struct rise *second)
{
    struct rise r = *second;

    r.first = first->first;
    r.from = first->from;
    r.slope_before = first->slope_before;
    r.hidden = first->hidden;
    r.before = first->before;
    return r;
}

/* Replaces the last knee by a rise. False where that is no knee: the last one stays. */
static bool replace_last(const struct curve *c, const struct rise *r, struct verdict *out, bool *good)
{
    const struct knee kept = out->knees[--out->count];

    if (add_rise(c, r, out, good))
        return true;
    out->knees[out->count++] = kept;
    return false;
}

/*
 * Adds the rises to the knees; `rises` is in descending order. A rise that is no knee by itself is joined with the one
 * before it, unless that one ends before it begins: then there is a level between the two.
 */
static void add_rises(const struct curve *c, const struct rise *rises, size_t count, struct verdict *out, bool *good)
{
    struct rise last = {0}; /* the rise before this one */
    bool is_knee = false;   /* and it is the last knee */

    for (size_t i = count; i-- > 0;) {
        const struct rise both = join_rises(&last, &rises[i]);
        bool beside = last.end > rises[i].first, joined = !is_knee && beside && add_rise(c, &both, out, good);
        if (joined && out->knees[out->count - 1].low >= c->s.x[rises[i].first]) {
            is_knee = replace_last(c, &rises[i], out, good);
            joined = !is_knee;
        } else if (!joined) {
            bool alone = add_rise(c, &rises[i], out, good);
            joined = !alone && is_knee && beside && replace_last(c, &both, out, good);
            is_knee = alone;
        }
        is_knee = is_knee || joined;
        last = joined ? both : rises[i];
    }
}

/*
 * How much likelier two levels of unknown scatter are than one line through points first … end - 1: twice the natural
 * logarithm of the likelihood ratio, which is (squares about the line / squares about the levels)^(n / 2) (Worsley: On
 * the likelihood ratio test for a shift in location of normal populations, Journal of the American Statistical
 * Association 74, 1979); here n is less the three parameters. Sets *place to the first point of the second level, which
 * is the higher one; the result is 0 where there are none.
 */
static double two_levels(const struct curve *c, size_t first, size_t end, const struct line *line, size_t *place)
{
    const struct series *s = &c->s;
    const double n = (double)(end - first), free = n - STEP_PARAMETERS;
    double mean = 0, sum = 0, most = 0;

    *place = 0;
    for (size_t i = first; i < end; i++)
        mean += s->y[i] / n;
    for (size_t at = first + 1; at + STRETCH_LEAST <= end; at++) {
        const double before = (double)(at - first);
        sum += s->y[at - 1] - mean; /* two means are nearer to the points by sum^2 / (before (1 - before / n)) */
        if (at - first >= STRETCH_LEAST && sum < 0 && sum * sum > most * before * (1 - before / n)) {
            most = sum * sum / (before * (1 - before / n));
            *place = at;
        }
    }
    if (!*place || !(c->least_difference > 0))
        return 0;
    const struct line low = series_line(s, first, *place, false), high = series_line(s, *place, end, false);
    const double one = squares_about(s, first, end, line), least = c->least_difference * c->least_difference;
    const double two = squares_about(s, first, *place, &low) + squares_about(s, *place, end, &high);
    return free * ln_rough(fmax(one, free * least) / fmax(two, free * least));
}

/*
 * The point behind which a piece is cut into two levels, by the scatter of its own points; 0 where it is one piece. The
 * variances of points may be upper limits, and the piece has been cut by those already.
 */
static size_t edge_inside(const struct curve *c, const struct piece *p)
{
    size_t place;

    return two_levels(c, p->first, p->end, &p->line, &place) > c->penalty ? place : 0;
}

/* Whether all points of a piece from `at` on lie above those before by more than OUTLIER of their deviations. */
static bool is_left_at(const struct curve *c, const struct piece *p, size_t at)
{
    const struct series *s = &c->s;
    const struct line level = series_line(s, p->first, at, false);
    const double free = (double)(at - p->first) - 1, seen = sqrt(squares_about(s, p->first, at, &level) / free);
    const double sure = OUTLIER * fmax(seen * few_points(free), c->least_difference);
    size_t above = at;

    while (above < p->end && s->y[above] > level.at + sure)
        above++;
    return above == p->end;
}

/*
 * The point behind which a level that slopes has left a flat one that it begins with; 0 where it has none. All other
 * points, STRETCH_LEAST or more, lie above the level by more than OUTLIER of its deviations, as its own points show
 * them, and the first one of them by more than STEEPER times the range of the level's points. What follows may be
 * levels that scatter more, which look like one line together with the first.
 */
static size_t level_left_inside(const struct curve *c, const struct piece *p)
{
    const struct series *s = &c->s;
    double low = s->y[p->first], high = low;

    for (size_t at = p->first + 1; p->sloped && c->least_difference > 0 && at + STRETCH_LEAST <= p->end; at++) {
        if (at >= p->first + STRETCH_LEAST && s->y[at] - high > STEEPER * (high - low) && is_left_at(c, p, at))
            return at;
        low = fmin(low, s->y[at]);
        high = fmax(high, s->y[at]);
    }
    return 0;
}

bool steps_level_may_be_several(const struct curve *c, const struct knee *k, double from)
{
    const struct series *s = &c->s;
    size_t first = 0, end, place;

    while (first + 1 < s->count && s->x[first] < from)
        first++;
    for (end = first; end < s->count && s->x[end] <= k->low; end++)
        ;
    if (end - first < 2 * STRETCH_LEAST)
        return false;
    const struct line line = series_line(s, first, end, true);
    if (level_left_inside(c, &(struct piece){.first = first, .end = end, .sloped = true, .line = line}))
        return true;
    if (!(two_levels(c, first, end, &line, &place) > PARAMETER_PRICE + 2 * ln_rough((double)(end - first))))
        return false;
    const double low = series_line(s, first, place, false).at, high = series_line(s, place, end, false).at;
    return high - low > DOUBTFUL_RISE * fabs(low);
}

/* Cuts pieces where edge_inside or level_left_inside says so; returns their number. */
static size_t cut_inside(const struct curve *c, struct piece *pieces, size_t count)
{
    for (size_t i = 0; i < count && count < PIECES_MAXIMUM;) {
        const struct piece *p = &pieces[i];
        const size_t left = is_level(c, p, i == 0, i + 1 == count) ? level_left_inside(c, p) : 0;
        const size_t at = left ? left : edge_inside(c, p);
        if (!at) {
            i++;
            continue;
        }
        memmove(&pieces[i + 1], &pieces[i], (count - i) * sizeof *pieces);
        count++;
        pieces[i].end = pieces[i + 1].first = at;
        for (size_t k = i; k < i + 2; k++) {
            pieces[k].sloped = false;
            pieces[k].line = series_line(&c->s, pieces[k].first, pieces[k].end, false);
        }
    }
    return count;
}

bool decide_steps(const struct curve *c, struct verdict *out)
{
    const struct series *s = &c->s;
    struct piece *pieces = malloc(PIECES_MAXIMUM * sizeof *pieces);
    struct level_piece *levels = malloc((PIECES_MAXIMUM + 1) * sizeof *levels);
    double *scratch = malloc(s->count * sizeof *scratch);
    struct rise rises[KNEES_MAXIMUM];
    size_t count = 0;
    bool good = pieces && levels && scratch;

    if (good)
        count = series_cut(s, 0, s->count, c->penalty, c->penalty / 2, 2, pieces, PIECES_MAXIMUM);
    good = good && count > 0;
    out->monotone = true;
    if (good) {
        count = cut_inside(c, pieces, count);
        size_t n = find_levels(c, pieces, count, levels, &out->monotone, scratch);
        n = drop_returns(s, levels, n);
        add_rises(c, rises, find_rises(c, levels, n, rises, &out->monotone), out, &good);
    }
    out->reason = out->count ? REASON_NONE : REASON_NO_KNEE;
    free(pieces);
    free(levels);
    free(scratch);
    return good;
}
