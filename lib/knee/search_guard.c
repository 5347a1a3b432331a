#include "lib/knee/search_guard.h"

#include <math.h>

#include "lib/base/random.h"
#include "lib/knee/search_samples.h"
#include "lib/knee/tolerances.h"

static bool guard_between(struct search *s, double from, double to, unsigned draws)
{
    double steps = floor((to - from) / s->step);

    for (unsigned n = 0; n < draws && steps >= 0; n++) {
        double x = from + (double)random_below(&s->random, (uint64_t)steps + 1) * s->step;
        size_t before = s->count;
        if (!search_wait_for_quiet(s) || !search_take(s, x) || !search_take(s, x))
            return false;
        if (s->count == before) /* the point existed already */
            continue;
        size_t i = (size_t)(search_point_at(s, x) - s->points);
        if (i == 0 || i + 1 == s->count)
            continue;
        double low = fmin(s->points[i - 1].y, s->points[i + 1].y), high = fmax(s->points[i - 1].y, s->points[i + 1].y);
        double margin = OUTLIER * s->verdict.sigma;
        if (s->points[i].y < low - margin || s->points[i].y > high + margin)
            for (int side = -1; side <= 1; side += 2)
                for (int twice = 0; twice < 2; twice++)
                    if (!search_take(s, x + side * s->step))
                        return false;
    }
    return true;
}

bool search_draw_guards(struct search *s)
{
    double steps = floor((s->reached - s->from) / s->step);
    const struct verdict v = s->verdict;
    bool good = guard_between(s, s->from, s->reached, (unsigned)fmin(GUARDS_MAXIMUM, steps / STEPS_FOR_A_GUARD));

    for (size_t i = 0; good && i < v.count && s->kind != KNEE_STAIRCASE && search_repeats_exactly(s); i++) {
        double from = i > 0 ? v.knees[i - 1].end : s->from, to = i + 1 < v.count ? v.knees[i + 1].low : s->reached;
        good = guard_between(s, from, v.knees[i].low, GUARDS_EXACT) &&
               guard_between(s, v.knees[i].end, to, GUARDS_EXACT);
    }
    return good;
}
