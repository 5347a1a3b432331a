#include "lib/engine/window.h"

#include <math.h>
#include <stdlib.h>

#include "lib/engine/rise.h"
#include "lib/engine/segment.h"
#include "lib/engine/smooth.h"

/* A window is all there is to a curve when it leaves no more of what a single line does. */
static const double UNEXPLAINED = 0.02;

/* What lies between two pieces that are no farther apart than this part of x is no level, but a step of the rise. */
static const double STEP = 0.05;

/* A jump between two pieces, or over others between them that rise: a ramp, which may bend. */
struct jump {
    size_t before, after; /* pieces */
    double height;        /* of the one after, where it begins, above the line of the one before */
};

static struct jump jump_between(const struct series *s, const struct piece *pieces, size_t before, size_t after)
{
    const struct piece *p = &pieces[before], *q = &pieces[after];
    double x = s->x[q->first], ramp = 0;
    /* a piece of few points says little about where its line leads */
    double ends = line_at(&p->line, s->x[p->end - 1]), leads = p->end - p->first > 3 ? line_at(&p->line, x) : ends;
    struct jump j = {before, after, line_at(&q->line, x) - fmax(leads, ends)};
    bool rises = true;

    for (const struct piece *between = p + 1; between < q; between++) {
        double from = line_at(&between->line, s->x[between->first]);
        double to = line_at(&between->line, s->x[between->end - 1]);
        rises = rises && to > from;
        ramp += to - from;
    }
    /* what is between has to make most of the rise, or there is a level among it */
    const bool wide = x - s->x[p->end - 1] > STEP * x;
    if (after > before + 1 && wide && (!rises || ramp < j.height / 2))
        j.height = 0;
    return j;
}

/*
 * The greatest jump among the pieces; false where another one elsewhere is half as high or more. On real cores the
 * levels of a window bend and step a little: what is sought is the rise that is beyond comparison.
 */
static bool greatest_jump(const struct series *s, const struct piece *pieces, size_t count, struct jump *best)
{
    double other = 0;

    *best = (struct jump){.height = 0};
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) {
            struct jump j = jump_between(s, pieces, i, k);
            if (j.height > best->height)
                *best = j;
        }
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            if (k <= best->before || i >= best->after)
                other = fmax(other, jump_between(s, pieces, i, k).height);
    return best->height > 2 * other;
}

/*
 * Two levels, which may slope, and one rise between them: every beginning and every end of it is tried. It has to be
 * better than one line through everything. Where that is not all there is to the curve, the pieces on either side of
 * its one great jump are tried instead.
 */
bool decide_window(const struct curve *c, struct verdict *out)
{
    const struct series *s = &c->s;
    struct rise r = {.end = s->count,
                     .from = 1,
                     .to = s->count,
                     .slope_before = true,
                     .slope_after = true,
                     .window = true,
                     .before = (double)NAN,
                     .after = (double)NAN};
    struct piece *pieces = malloc(PIECES_MAXIMUM * sizeof *pieces);
    struct jump jump = {0};
    struct view v;
    size_t count = 0;
    bool good = pieces != NULL;

    if (good)
        count = series_cut(s, 0, s->count, c->penalty, c->penalty / 2, 2, pieces, PIECES_MAXIMUM);
    good = good && count > 0;
    out->monotone = true;
    out->reason = "no-knee";
    for (size_t i = 0; i < count; i++) {
        double noise = RISE * sqrt(s->variance[pieces[i].first]), x = s->x[pieces[i].first];
        double from = line_at(&pieces[i].line, x), to = line_at(&pieces[i].line, s->x[pieces[i].end - 1]);
        double end = i > 0 ? line_at(&pieces[i - 1].line, s->x[pieces[i].first - 1]) : from;
        out->monotone = out->monotone && from >= end - noise && to >= from - noise;
    }
    if (good) {
        view_rise(c, &r, &v);
        double line = series_line(s, 0, s->count, true).cost;
        bool knee = line - v.top.cost > c->penalty + RAMP_PRICE;
        bool all = v.top.cost <= fmax(STRAIGHT * (double)s->count, line * UNEXPLAINED);
        if (knee && !all && count > 2) {
            knee = greatest_jump(s, pieces, count, &jump);
            out->reason = knee ? "no-knee" : "ambiguous";
            const struct piece *p = &pieces[jump.before], *q = &pieces[jump.after];
            size_t margin = RISE_MARGIN + (q->first - p->end);
            r.first = p->first;
            r.end = q->end;
            r.from = p->end > p->first + margin + 1 ? p->end - margin : p->first + 1;
            r.to = q->first + margin < q->end ? q->first + margin : q->end;
        }
        if (knee) {
            view_rise(c, &r, &v);
            knee = needs_knee(c, r.first, r.end, v.top.cost, c->penalty, LONE_POINTS | DROPS, &good);
        }
        out->count = knee && decide_rise(c, &r, &out->knees[0], &good) &&
                     stands_out(c, r.first, r.end, &out->knees[0], &good);
        if (out->count > 0)
            out->reason = NULL;
    }
    free(pieces);
    return good;
}
