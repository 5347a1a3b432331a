#include "lib/structure/fetch_width.h"

#include <math.h>
#include <stddef.h>

#include "lib/kernels/straight.h"

/* Cycles above the control from which on a crossing counts as split: half of what a split costs at least, one cycle. */
static const double STILL_SPLIT = 0.5;
/* Relative error of calibrated time, however alike repetitions are. */
static const double CALIBRATION = 0.005;
/*
 * Factor by which a line that is bound by its bytes takes longer with one NOP more, at most; and a fetched run longer
 * than a kept one, at least.
 */
static const double NO_LONGER = 1.03;
/* Densities that must be bound by their bytes. */
enum { DENSITIES = 2 };

/* y at x, or at the next larger x that was measured; NaN where there is none. */
static double height_at(const struct search *s, double x)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->points[i].x >= x)
            return s->points[i].y;
    return NAN;
}

static bool is_above(const struct search *s, const struct search *control, size_t i)
{
    return i < s->count && s->points[i].y - height_at(control, s->points[i].x) >= STILL_SPLIT;
}

bool fetch_width_decide(struct search *crossing, const struct search *control, bool *split)
{
    struct knee_point points[FETCH_INSTRUCTIONS_MOST];
    const struct search *s = crossing;
    size_t count = 0;

    while (count < s->count && count < FETCH_INSTRUCTIONS_MOST &&
           (is_above(s, control, count) || is_above(s, control, count + 1))) {
        points[count] = (struct knee_point){s->points[count].x, s->points[count].y, CALIBRATION * s->points[count].y};
        count++;
    }
    *split = count > 0;
    return knee_decide(KNEE_STAIRCASE, points, count, 1, &crossing->verdict);
}

double fetch_width_least(const struct search *s)
{
    double n = 0;

    for (size_t i = 0; i < s->count && s->points[i].y < s->points[0].y + STILL_SPLIT; i++)
        n = s->points[i].x - 1; /* the first instruction is on the other page */
    return n;
}

bool fetch_width_bytes(const struct search *kept, const struct search *fetched, double decoded, double *bytes)
{
    double best = INFINITY;
    size_t count = 0;

    for (size_t i = 0; i < kept->count; i++)
        best = fmin(best, kept->points[i].y);
    for (unsigned m = FETCH_DENSITY_TO; m > FETCH_DENSITY_FROM && count < DENSITIES; m--) {
        double line = m * height_at(fetched, m), less = (m - 1) * height_at(fetched, m - 1);
        const bool is_fetched = height_at(fetched, m) * decoded * NO_LONGER >= 1;
        if (line <= NO_LONGER * less && height_at(fetched, m) >= NO_LONGER * best && is_fetched && !count++)
            *bytes = STRAIGHT_LINE_BYTES / line;
    }
    return count == DENSITIES;
}
