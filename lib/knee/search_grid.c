#include "lib/knee/search_grid.h"

#include <math.h>

#include "lib/knee/search_narrow.h"
#include "lib/knee/search_samples.h"
#include "lib/knee/search_verdict.h"
#include "lib/knee/tolerances.h"

/* The next x of the grid after x. */
static double next_x(const struct search *s, double x)
{
    double ratio = 2, spacing = (s->to - s->from) / (s->coarse > 4 ? s->coarse - 1 : 3);

    if (!s->per_octave)
        return fmax(x + s->step, s->from + search_round(s, (floor((x - s->from) / spacing + 0.01) + 1) * spacing));
    /* 2^(1/n) by square roots: n is a power of two, and sqrt is exact in every build */
    for (unsigned n = 1; n < s->per_octave; n *= 2)
        ratio = sqrt(ratio);
    double exact = s->from;
    while (search_round(s, exact) <= x)
        exact *= ratio;
    return search_round(s, exact);
}

static bool cover_once(struct search *s, double from, double to)
{
    double edge = 3 * s->step, last = from;

    if (!search_take(s, from))
        return false;
    for (unsigned n = 1; last < to; n++) {
        double x = fmin(next_x(s, last), to);
        if (last < from + edge && x > from + edge)
            x = from + edge;
        else if (last < to - edge && x > to - edge)
            x = to - edge;
        last = x;
        if ((n % FIRST_X_EVERY == 0 && !search_take(s, s->from)) || !search_take(s, x))
            return false;
        search_point_at(s, x)->on_coarse_grid = true;
    }
    return true;
}

bool search_cover(struct search *s, double from, double to)
{
    for (unsigned n = 0; n < GRID_PASSES; n++)
        if (!cover_once(s, from, to))
            return false;
    return search_settle(s);
}

bool search_extend(struct search *s)
{
    while (s->reached < s->limit) {
        if (s->repeats && search_points_risen(s) >= POINTS_AFTER)
            break;
        if (!s->repeats && !search_find_candidates(s))
            return false;
        const struct verdict *v = &s->verdict;
        double end = v->count ? v->knees[v->count - 1].end : INFINITY;
        size_t after = search_points_within(s, end - s->step / 2, INFINITY);
        if (!s->repeats && after >= POINTS_AFTER)
            break;
        double from = s->reached, to = s->per_octave ? 2 * from : from + search_round(s, (s->to - s->from) / 2);
        to = fmin(floor(s->limit / s->step) * s->step, fmax(to, from + s->step));
        if (!(to > from))
            break;
        if (!search_cover(s, from, to))
            return false;
    }
    return true;
}
