#include "lib/knee/half_rise.h"

#include <math.h>

#include "lib/base/reason.h"
#include "lib/knee/tolerances.h"

void half_rise_decide(struct search *s, double lost)
{
    const struct search_point *pt = s->points;
    const size_t n = s->count;
    size_t last_resident = 0, first_above = 0, last_below = n, end = 0, last = n;

    s->verdict = (struct verdict){.reason = REASON_NOT_LEFT, .monotone = true};
    if (!n || isnan(pt[0].y) || !(lost > pt[0].y)) {
        s->verdict.reason = n ? REASON_NOISE : REASON_TOO_FEW_POINTS;
        return;
    }
    const double before = pt[0].y, rise = lost - before, half = before + rise / 2;
    while (last_resident + 1 < n && pt[last_resident + 1].y < before + RESIDENT * rise)
        last_resident++;
    while (first_above < n && !(pt[first_above].y >= half))
        first_above++;
    while (last_below > 0 && !(pt[last_below - 1].y < half))
        last_below--;
    while (end + 1 < n && !(pt[end].y >= lost - RESIDENT * rise))
        end++;
    while (last_below < n && isnan(pt[last_below].y))
        last_below++;
    while (last > 1 && isnan(pt[last - 1].y)) /* ends at the first point, which has a y */
        last--;
    if (first_above == n || last_below == n || !(pt[last - 1].y >= before + REACHED * rise))
        return; /* half has not been reached */
    /* a and b were searched from both ends: they are neighbours, unless y crosses half several times. */
    const struct search_point *a = &pt[first_above - 1], *b = &pt[last_below];
    while (isnan(a->y)) /* ends at the first point, which has a y */
        a--;
    const double at = a->x + (half - a->y) / (b->y - a->y) * (b->x - a->x);
    s->verdict.reason = b->x > CROSSED_WITHIN * a->x ? REASON_NOISE : REASON_NONE;
    s->verdict.count = 1;
    s->verdict.knees[0] = (struct knee){.value = pt[last_resident].x,
                                        .low = pt[last_resident].x,
                                        .high = pt[end].x,
                                        .foot = pt[last_resident].x,
                                        .before = before,
                                        .after = lost,
                                        .end = pt[end].x,
                                        .half_rise = floor(at),
                                        .half_rise_low = a->x,
                                        .half_rise_high = b->x,
                                        .ramp = true,
                                        .agreed = true,
                                        .half_rise_agreed = first_above == last_below};
}
