#include "lib/engine/passes.h"

#include <math.h>
#include <stdlib.h>

#include "lib/engine/statistics.h"

/* Neighbours whose median tells how far a pass is off: two on either side, of a wide rise an eighth of its points. */
enum { NEAR = 2, NEIGHBOURS = 2 * NEAR + 1, WIDE = 8 };

/* Three in four ranges of so many of a normal sample are within so many deviations (Tippett: On the extreme individuals
 * and the range of samples taken from a normal population, Biometrika 17, 1925). A state of the core lasts: half of the
 * places may not show it. */
static const double RANGE_75[KNEE_PASSES + 1] = {0, 0, 1.627, 2.246};

/* How far the points rise; past a bend, above the line that was before. */
static double rise_of(enum knee_kind kind, const struct knee_point *points, const struct knee *k)
{
    double line = kind == KNEE_SLOPE && k->value > points[0].x && !isnan(points[0].y)
                      ? (k->before - points[0].y) / (k->value - points[0].x) * (k->end - k->value)
                      : 0;

    return k->after - k->before - line;
}

/* Median of how far a pass is off points first … end - 1; NaN where it has none. */
static double off(const struct knee_point *points, const double *pass, size_t first, size_t end, double *scratch)
{
    size_t n = 0;

    for (size_t i = first; i < end; i++)
        if (!isnan(pass[i]) && !isnan(points[i].y))
            scratch[n++] = pass[i] - points[i].y;
    return median(scratch, n);
}

bool passes_apart(const struct knee_point *points, size_t count, const struct knee_passes *passes, double *deviation,
                  size_t *places)
{
    double *ranges = malloc((count + 1) * sizeof *ranges), near[NEIGHBOURS];
    size_t at[NEIGHBOURS], found = 0, n = 0;

    *deviation = 0;
    for (size_t i = 0; ranges && i < count; i++) {
        if (isnan(points[i].y) || isnan(passes->y[i]))
            continue;
        at[found++] = i;
        if (found < NEIGHBOURS)
            continue;
        double low = INFINITY, high = -INFINITY, y = fabs(points[at[NEAR]].y);
        for (size_t pass = 0; pass < passes->count; pass++) {
            for (size_t k = 0; k < NEIGHBOURS; k++)
                near[k] = passes->y[pass * count + at[k]] - points[at[k]].y;
            double d = median(near, NEIGHBOURS);
            low = fmin(low, d);
            high = fmax(high, d);
        }
        if (y > 0 && high >= low)
            ranges[n++] = (high - low) / y;
        found = 0;
    }
    if (n > 0) {
        sort_numbers(ranges, n);
        *deviation = quantile(ranges, n, 0.75) / RANGE_75[passes->count];
    }
    *places = n;
    free(ranges);
    return ranges != NULL;
}

bool passes_bear_out(enum knee_kind kind, const struct knee_point *points, size_t count,
                     const struct knee_passes *passes, const struct knee *k, bool *good)
{
    double *scratch = malloc((count + 1) * sizeof *scratch), rise = rise_of(kind, points, k);
    size_t first = 0, last, bearing = 0;

    *good = *good && scratch;
    while (first + 1 < count && points[first + 1].x <= k->low)
        first++;
    for (last = first; last + 1 < count && points[last].x < k->end; last++)
        ;
    size_t reach = (last - first) / WIDE > NEAR ? (last - first) / WIDE : NEAR;
    size_t from = first > reach ? first - reach : 0, to = last + reach < count ? last + reach : count - 1;
    for (size_t pass = 0; scratch && pass < passes->count; pass++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = from; i <= to; i += reach) {
            size_t end = i + reach + 1 < count ? i + reach + 1 : count;
            double d = off(points, passes->y + pass * count, i > reach ? i - reach : 0, end, scratch);
            low = fmin(low, d);
            high = fmax(high, d);
        }
        bearing += high - low < rise / 2;
    }
    free(scratch);
    return bearing == passes->count;
}
