#include "lib/bend.h"

#include <math.h>

/* The next structure is larger by this factor at least: lib/levels.c. */
static const double APART = 2;
static const double RUNG = 1, NEXT_RUNG = 2;

bool bend_range(const struct search *curve, double least, double *from, double *to)
{
    const struct verdict *v = &curve->verdict;

    if (v->reason || v->count == 0)
        return false;
    const struct knee *k = &v->knees[v->count - 1];
    if (k->end <= APART * k->value)
        return false;
    size_t first = curve->count;
    while (first > 0 && !(curve->points[first - 1].y < k->before + least))
        first--;
    if (first == curve->count)
        return false;
    *to = k->half;
    *from = fmax(curve->points[first].x, ceil(*to / APART));
    return *from < *to;
}

void bend_verdict(const struct verdict *slope, double reached, struct verdict *out)
{
    *out = *slope;
    if (slope->reason || slope->count == 0)
        return;
    out->level_count = 2;
    out->levels[0] = (struct knee_level){.from = slope->levels[0].from, .to = slope->knees[0].value, .height = RUNG};
    out->levels[1] = (struct knee_level){.from = slope->knees[0].high, .to = reached, .height = NEXT_RUNG};
}

static bool may_hold_more(const struct family *f, const struct verdict *const curves[], const struct family_level *l)
{
    for (size_t m = 0; m < f->count && f->members[m].spacing < f->members[l->lead].spacing; m++) {
        const struct verdict *v = curves[m];
        const bool rises = !v->reason && v->count > 0;
        if (isnan(l->at[m].count) && !(rises && v->knees[v->count - 1].half < 2 * l->value))
            return true;
    }
    return false;
}

static void take_back(struct family_level *l, const char *reason)
{
    l->value = l->low = l->high = NAN;
    l->grade = 'U';
    l->reason = reason;
}

void bend_decide(const struct family *bends, const struct verdict *const curves[], struct family_verdict *out)
{
    struct family_level *l = &out->levels[0];

    family_decide(bends, out);
    if (out->level_count == 0 || isnan(l->value))
        return;
    l->grade = 'C';
    if (isnan(l->index_spacing))
        take_back(l, "no-halving");
    else if (may_hold_more(bends, curves, l))
        take_back(l, "spacings-end");
}
