#include "lib/structure/slope_change.h"

#include <math.h>

#include "lib/base/reason.h"
#include "lib/structure/tolerances_hierarchy.h"

/* Of the level that ends at a slope change, and of the next one: the same for all curves, in no unit. */
enum { HEIGHT = 1, NEXT_HEIGHT = 2 };

bool slope_change_range(const struct search *curve, double least, double *from, double *to)
{
    const struct verdict *v = &curve->verdict;

    if (v->reason || v->count == 0)
        return false;
    const struct knee *k = &v->knees[v->count - 1];
    if (k->end <= LEVELS_APART * k->value)
        return false;
    size_t first = curve->count;
    while (first > 0 && !(curve->points[first - 1].y < k->before + least))
        first--;
    if (first == curve->count)
        return false;
    *to = k->half_rise;
    *from = fmax(curve->points[first].x, ceil(*to / LEVELS_APART));
    return *from < *to;
}

void slope_change_verdict(const struct verdict *slope, double reached, struct verdict *out)
{
    *out = *slope;
    if (slope->reason || slope->count == 0)
        return;
    out->level_count = 2;
    out->levels[0] = (struct knee_level){.from = slope->levels[0].from, .to = slope->knees[0].value, .height = HEIGHT};
    out->levels[1] = (struct knee_level){.from = slope->knees[0].high, .to = reached, .height = NEXT_HEIGHT};
}

/* Whether a smaller stride, whose slope change is not known, may hold twice as much as the level. */
static bool smaller_may_hold_more(const struct stride_family *f, const struct verdict *const curves[],
                                  const struct stride_level *l)
{
    for (size_t m = 0; m < f->count && f->members[m].stride < f->members[l->lead].stride; m++) {
        const struct verdict *v = curves[m];
        const bool rises = !v->reason && v->count > 0;
        if (isnan(l->at[m].count) && !(rises && v->knees[v->count - 1].half_rise < 2 * l->value))
            return true;
    }
    return false;
}

static void make_undecided(struct stride_level *l, enum reason reason)
{
    l->value = l->low = l->high = NAN;
    l->grade = 'U';
    l->reason = reason;
}

void slope_change_decide(const struct stride_family *slopes, const struct verdict *const curves[],
                         struct stride_verdict *out)
{
    struct stride_level *l = &out->levels[0];

    stride_family_decide(slopes, out);
    if (out->level_count == 0 || isnan(l->value))
        return;
    l->grade = 'C';
    if (isnan(l->index_stride))
        make_undecided(l, REASON_NO_HALVING);
    else if (smaller_may_hold_more(slopes, curves, l))
        make_undecided(l, REASON_STRIDES_END);
}
