#include "tests/model/curves/contract.h"

#include <math.h>

#include "lib/base/reason.h"

const char *broken_verdict(const struct verdict *v, enum knee_kind kind, double from, double to)
{
    double before = -INFINITY;

    if ((v->count == 0) != (v->reason != REASON_NONE))
        return "a verdict has knees or a reason, never both nor none";
    if (v->count > (kind == KNEE_STEP ? (size_t)KNEES_MAXIMUM : 1))
        return "more knees than this kind has";
    if (v->count && v->level_count != v->count + 1)
        return "one level more than knees";
    if (v->count && !(v->sigma >= 0))
        return "knees without a sigma";
    for (size_t i = 0; i < v->count; i++) {
        const struct knee *k = &v->knees[i];
        if (!(k->low < k->high) || !(k->foot <= k->low) || !(k->low <= k->value) || !(k->value <= k->high))
            return "foot <= low <= value <= high";
        if (kind != KNEE_STAIRCASE && (k->foot < from || k->high > to))
            return "an interval beyond the range";
        if (!(k->value > before))
            return "knees ascend";
        before = k->value;
        if (!(k->half_rise_low <= k->half_rise) || !(k->half_rise <= k->half_rise_high))
            return "half_low <= half <= half_high";
    }
    return NULL;
}

const char *broken_search(const struct search *s)
{
    size_t taken = 0;

    for (size_t i = 0; i < s->count; i++) {
        const struct search_point *p = &s->points[i];
        taken += p->samples;
        if (p->kept > p->samples || (i && !(p->x > s->points[i - 1].x)))
            return "points of a search";
    }
    if (taken != s->taken)
        return "samples are not all counted";
    if (s->taken > s->budget)
        return "more samples than the budget";
    if (s->count && s->reached != s->points[s->count - 1].x)
        return "the largest x sampled";
    if (s->count && !(s->grid >= (double)s->count))
        return "more points than the full grid has";
    return broken_verdict(&s->verdict, s->kind, s->from, s->reached);
}
