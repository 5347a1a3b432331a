#include "lib/knee/segment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool series_make(struct series *s, size_t count)
{
    *s = (struct series){.count = count};
    s->x = malloc((3 * count + 1) * sizeof *s->x);
    s->before = malloc((count + 1) * sizeof *s->before);
    if (!s->x || !s->before) {
        series_free(s);
        return false;
    }
    s->y = s->x + count;
    s->variance = s->y + count;
    return true;
}

void series_free(struct series *s)
{
    free(s->x);
    free(s->before);
    *s = (struct series){0};
}

void series_sum(struct series *s)
{
    struct sums all = {0};
    double height = 0;

    for (size_t i = 0; i < s->count; i++)
        height += s->y[i] / (double)s->count;
    s->y_origin = height;
    s->x_origin = s->count ? s->x[s->count / 2] : 0;
    s->x_unit = s->count > 1 ? (s->x[s->count - 1] - s->x[0]) / 2 : 1;
    for (size_t i = 0; i < s->count; i++) {
        double w = 1 / s->variance[i], x = (s->x[i] - s->x_origin) / s->x_unit, y = s->y[i] - s->y_origin;
        s->before[i] = all;
        all.w += w;
        all.x += w * x;
        all.y += w * y;
        all.xx += w * x * x;
        all.xy += w * x * y;
        all.yy += w * y * y;
    }
    s->before[s->count] = all;
}

static struct sums between(const struct series *s, size_t first, size_t end)
{
    const struct sums *a = &s->before[first], *b = &s->before[end];
    return (struct sums){b->w - a->w, b->x - a->x, b->y - a->y, b->xx - a->xx, b->xy - a->xy, b->yy - a->yy};
}

/* Normal equations of the straight line, about the mean. */
static struct line fit(const struct sums *a, bool sloped)
{
    double xx = a->xx - a->x * a->x / a->w, xy = a->xy - a->x * a->y / a->w, yy = a->yy - a->y * a->y / a->w;
    struct line l = {.at = a->y / a->w, .cost = yy};

    /* xx exceeds its rounding error only where there is more than one x. */
    if (sloped && xx > 1e-12 * a->xx) {
        l.slope = xy / xx;
        l.at -= l.slope * a->x / a->w;
        l.cost -= l.slope * xy;
    }
    l.cost = fmax(l.cost, 0);
    return l;
}

struct line series_line(const struct series *s, size_t first, size_t end, bool sloped)
{
    const struct sums a = between(s, first, end);
    struct line l = fit(&a, sloped);

    l.slope /= s->x_unit;
    l.at += s->y_origin - l.slope * s->x_origin;
    return l;
}

double line_at(const struct line *l, double x)
{
    return l->at + l->slope * x;
}

double series_cost(const struct series *s, size_t first, size_t end, double x, double y, double slope)
{
    if (end <= first)
        return 0;
    const struct sums a = between(s, first, end);
    double b = slope * s->x_unit, h = y - s->y_origin - b * (x - s->x_origin) / s->x_unit;
    /* sum of (y - h - b x)^2 */
    double cost = a.yy + h * h * a.w + b * b * a.xx - 2 * h * a.y - 2 * b * a.xy + 2 * h * b * a.x;
    return fmax(cost, 0);
}

double series_slope(const struct series *s, size_t first, size_t end, double x, double y)
{
    if (end <= first)
        return (double)NAN;
    const struct sums a = between(s, first, end);
    double u = (x - s->x_origin) / s->x_unit, v = y - s->y_origin;
    double xx = a.xx - 2 * u * a.x + u * u * a.w, xy = a.xy - u * a.y - v * a.x + u * v * a.w;
    return xx > 0 ? xy / xx / s->x_unit : (double)NAN;
}

/* ---- Cutting ----------------------------------------------------------------------------------- */

/* Pieces joined at once at most, and rounds in which cuts are placed again at most. */
enum { JOINED_MAXIMUM = 4, PLACED_AGAIN = 4 };

/* Sum of squares of a piece, flat or sloped, whichever is less with the penalty of a slope, since a slope fits noise
 * too. */
static double piece_cost(const struct series *s, size_t first, size_t end, double slope_penalty)
{
    const struct sums a = between(s, first, end);
    struct line flat = fit(&a, false);

    if (end - first < 3)
        return flat.cost;
    return fmin(flat.cost, fit(&a, true).cost + slope_penalty);
}

/* The best cut of points first … end - 1 into first … at - 1 and at … end - 1. */
struct cut {
    size_t first, end, at;
    double gain;
};

static struct cut best_cut(const struct series *s, size_t first, size_t end, double slope_penalty, size_t shortest)
{
    struct cut c = {.first = first, .end = end, .gain = -1};
    double whole = piece_cost(s, first, end, slope_penalty);

    for (size_t at = first + shortest; at + shortest <= end; at++) {
        double gain = whole - piece_cost(s, first, at, slope_penalty) - piece_cost(s, at, end, slope_penalty);
        if (gain > c.gain) {
            c.gain = gain;
            c.at = at;
        }
    }
    return c;
}

/*
 * Joins neighbouring pieces that are no worse as one, beginning where that saves most. Up to four at a time: a ramp
 * may have been cut into several flat pieces of which no two fit better as one, but all of them do. Returns how many
 * are left.
 */
static size_t join(const struct series *s, struct piece *p, size_t count, double penalty, double slope_penalty)
{
    for (;;) {
        double most = -1;
        size_t first = 0, joined = 0;
        for (size_t i = 0; i + 1 < count; i++) {
            double apart = piece_cost(s, p[i].first, p[i].end, slope_penalty);
            for (size_t k = 1; k < JOINED_MAXIMUM && i + k < count; k++) {
                apart += penalty + piece_cost(s, p[i + k].first, p[i + k].end, slope_penalty);
                double saved = apart - piece_cost(s, p[i].first, p[i + k].end, slope_penalty);
                if (saved >= 0 && saved > most) {
                    most = saved;
                    first = i;
                    joined = k;
                }
            }
        }
        if (joined == 0)
            return count;
        p[first].end = p[first + joined].end;
        count -= joined;
        memmove(&p[first + 1], &p[first + 1 + joined], (count - first - 1) * sizeof *p);
    }
}

/*
 * Places each cut again, between those beside it. The first cuts were placed while later ones were missing: the last
 * point of a steep rise may be in the piece of a level, and no further cut could correct that.
 */
static void place_again(const struct series *s, struct piece *p, size_t count, double slope_penalty, size_t shortest)
{
    bool moved = true;

    for (unsigned round = 0; moved && round < PLACED_AGAIN; round++) {
        moved = false;
        for (size_t i = 0; i + 1 < count; i++) {
            const struct cut c = best_cut(s, p[i].first, p[i + 1].end, slope_penalty, shortest);
            if (c.gain >= 0 && c.at != p[i].end) {
                p[i].end = p[i + 1].first = c.at;
                moved = true;
            }
        }
    }
}

size_t series_cut(const struct series *s, size_t first, size_t end, double penalty, double slope_penalty,
                  size_t shortest, struct piece *out, size_t room)
{
    struct cut *cuts = malloc(room * sizeof *cuts);
    size_t count = 1;

    if (!cuts)
        return 0;
    cuts[0] = best_cut(s, first, end, slope_penalty, shortest);
    while (count < room) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++)
            if (cuts[i].gain > cuts[best].gain)
                best = i;
        if (!(cuts[best].gain > penalty))
            break;
        const struct cut c = cuts[best];
        memmove(&cuts[best + 2], &cuts[best + 1], (count - best - 1) * sizeof *cuts);
        cuts[best] = best_cut(s, c.first, c.at, slope_penalty, shortest);
        cuts[best + 1] = best_cut(s, c.at, c.end, slope_penalty, shortest);
        count++;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = (struct piece){.first = cuts[i].first, .end = cuts[i].end};
    free(cuts);
    place_again(s, out, count, slope_penalty, shortest);
    count = join(s, out, count, penalty, slope_penalty);
    place_again(s, out, count, slope_penalty, shortest);
    for (size_t i = 0; i < count; i++) {
        struct line flat = series_line(s, out[i].first, out[i].end, false);
        struct line sloped = series_line(s, out[i].first, out[i].end, true);
        out[i].sloped = out[i].end - out[i].first >= 3 && sloped.cost + slope_penalty < flat.cost;
        out[i].line = out[i].sloped ? sloped : flat;
    }
    return count;
}
