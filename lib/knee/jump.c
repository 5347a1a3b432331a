#include "lib/knee/jump.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/knee/rise.h"
#include "lib/knee/segment.h"
#include "lib/knee/smooth.h"
#include "lib/knee/tolerances.h"

/* A jump from one piece to another, directly or along a ramp of the pieces between them. */
struct jump {
    size_t before, after; /* pieces */
    double height;        /* from the line of the piece before to the beginning of the one after; 0: no jump */
};

static struct jump jump_between(const struct series *s, const struct piece *pieces, size_t before, size_t after)
{
    const struct piece *p = &pieces[before], *q = &pieces[after];
    double x = s->x[q->first], ramp = 0;
    /* a short piece says little about where its line leads */
    double ends = line_at(&p->line, s->x[p->end - 1]), leads = p->end - p->first > 3 ? line_at(&p->line, x) : ends;
    struct jump j = {before, after, line_at(&q->line, x) - fmax(leads, ends)};
    bool rises = true;

    for (const struct piece *between = p + 1; between < q; between++) {
        double from = line_at(&between->line, s->x[between->first]);
        double to = line_at(&between->line, s->x[between->end - 1]);
        rises = rises && to > from;
        ramp += to - from;
    }
    /* the pieces between must make up most of the rise: otherwise one of them is a level */
    const bool wide = x - s->x[p->end - 1] > LEVEL_WIDTH * x;
    if (after > before + 1 && wide && (!rises || ramp < j.height * RAMP_SHARE))
        j.height = 0;
    return j;
}

/*
 * Finds the greatest jump among the pieces. False where another one, elsewhere, is nearly as high: on real cores the
 * levels of a queue's curve bend and step a little, and only a rise that dominates is the limit that was asked for.
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
    return best->height > DOMINANCE * other;
}

/* Makes a rise of the jump between two pieces: it begins on the first one, and ends on the second. */
static void take_pieces(struct rise *r, const struct piece *before, const struct piece *after)
{
    const size_t margin = RISE_MARGIN + (after->first - before->end);

    r->first = before->first;
    r->end = after->end;
    r->from = before->end > before->first + margin + 1 ? before->end - margin : before->first + 1;
    r->to = after->first + margin < after->end ? after->first + margin : after->end;
}

bool decide_jump(const struct curve *c, struct verdict *out)
{
    const struct series *s = &c->s;
    struct rise r = {.end = s->count,
                     .from = 1,
                     .to = s->count,
                     .slope_before = true,
                     .slope_after = true,
                     .jump = true,
                     .not_smooth = true,
                     .before = (double)NAN,
                     .after = (double)NAN};
    struct piece *pieces = malloc(PIECES_MAXIMUM * sizeof *pieces);
    struct jump jump = {0};
    struct rise_fit fit;
    size_t count = 0;
    bool good = pieces != NULL;

    if (good)
        count = series_cut(s, 0, s->count, c->penalty, c->penalty / 2, 2, pieces, PIECES_MAXIMUM);
    good = good && count > 0;
    out->monotone = true;
    out->reason = REASON_NO_KNEE;
    for (size_t i = 0; i < count; i++) {
        double noise = RISE * sqrt(s->variance[pieces[i].first]), x = s->x[pieces[i].first];
        double from = line_at(&pieces[i].line, x), to = line_at(&pieces[i].line, s->x[pieces[i].end - 1]);
        double end = i > 0 ? line_at(&pieces[i - 1].line, s->x[pieces[i].first - 1]) : from;
        out->monotone = out->monotone && from >= end - noise && to >= from - noise;
    }
    if (good) {
        rise_fit(c, &r, &fit);
        double line = series_line(s, 0, s->count, true).cost;
        bool knee = line - fit.best.cost > c->penalty + PARAMETER_PRICE;
        bool all = fit.best.cost <= fmax(STRAIGHT * (double)s->count, line * UNEXPLAINED);
        if (knee && !all && count > 2) {
            knee = greatest_jump(s, pieces, count, &jump);
            out->reason = knee ? REASON_NO_KNEE : REASON_AMBIGUOUS;
            if (knee) {
                take_pieces(&r, &pieces[jump.before], &pieces[jump.after]);
                rise_fit(c, &r, &fit);
            }
        }
        knee = knee && needs_knee(c, r.first, r.end, fit.best.cost, c->penalty, LONE_POINTS | DROPS, &good);
        out->count = knee && rise_decide(c, &r, &fit, &out->knees[0], &good) &&
                     stands_out(c, r.first, r.end, &out->knees[0], &good);
        if (out->count > 0)
            out->reason = REASON_NONE;
    }
    free(pieces);
    return good;
}
