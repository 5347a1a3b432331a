#include "lib/half.h"

#include <math.h>

/* So little lost is nothing, and so little kept. */
static const double HELD = 0.05;

void half_decide(struct search *s, double lost)
{
    const struct search_point *pt = s->points;
    const size_t n = s->count;
    size_t last_held = 0, first_above = 0, last_below = n, end = 0;

    s->verdict = (struct verdict){.reason = "not-left", .monotone = true};
    if (!n || isnan(pt[0].y) || !(lost > pt[0].y)) {
        s->verdict.reason = n ? "noise" : "too-few-points";
        return;
    }
    const double before = pt[0].y, rise = lost - before, half = before + rise / 2;
    while (last_held + 1 < n && pt[last_held + 1].y < before + HELD * rise)
        last_held++;
    while (first_above < n && !(pt[first_above].y >= half))
        first_above++;
    while (last_below > 0 && !(pt[last_below - 1].y < half))
        last_below--;
    while (end + 1 < n && !(pt[end].y >= lost - HELD * rise))
        end++;
    while (last_below < n && isnan(pt[last_below].y))
        last_below++;
    if (first_above == n || last_below == n || first_above == 0)
        return; /* without points beyond it has not been reached */
    /* from either end: the same neighbours */
    const struct search_point *a = &pt[first_above - 1], *b = &pt[last_below];
    while (isnan(a->y)) /* the first point is none of these */
        a--;
    const double at = a->x + (half - a->y) / (b->y - a->y) * (b->x - a->x);
    s->verdict.reason = b->x > 2 * a->x ? "noise" : NULL;
    s->verdict.count = 1;
    s->verdict.knees[0] = (struct knee){.value = pt[last_held].x,
                                        .low = pt[last_held].x,
                                        .high = pt[end].x,
                                        .foot = pt[last_held].x,
                                        .before = before,
                                        .after = lost,
                                        .end = pt[end].x,
                                        .half = floor(at),
                                        .half_low = a->x,
                                        .half_high = b->x,
                                        .ramp = true,
                                        .agreed = true,
                                        .half_agreed = first_above == last_below};
}
