#include "lib/knee/passes.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/statistics.h"
#include "lib/knee/tolerances.h"

/* Upper quartile of the range of so many values of a normal sample, in deviations (Tippett: On the extreme
 * individuals and the range of samples taken from a normal population, Biometrika 17, 1925). The quartile and not the
 * median is used since a state of the core lasts: half of the places may not show it. */
static const double RANGE_75[KNEE_PASSES + 1] = {0, 0, 1.627, 2.246};

/* Height of a knee; of a slope change, above the continuation of the line before. */
static double rise_of(enum knee_kind kind, const struct knee_point *points, const struct knee *k)
{
    double line = kind == KNEE_SLOPE && k->value > points[0].x && !isnan(points[0].y)
                      ? (k->before - points[0].y) / (k->value - points[0].x) * (k->end - k->value)
                      : 0;

    return k->after - k->before - line;
}

/* Median distance of a pass from points first … end - 1; NaN where it has none of them. */
static double distance(const struct knee_point *points, const double *pass, size_t first, size_t end, double *scratch)
{
    size_t n = 0;

    for (size_t i = first; i < end; i++)
        if (!isnan(pass[i]) && !isnan(points[i].y))
            scratch[n++] = pass[i] - points[i].y;
    return median(scratch, n);
}

bool passes_deviation(const struct knee_point *points, size_t count, const struct knee_passes *passes,
                      double *deviation, size_t *places)
{
    double *ranges = malloc((count + 1) * sizeof *ranges), near[2 * PASS_REACH + 1];
    size_t at[2 * PASS_REACH + 1], neighbours = 2 * PASS_REACH + 1, found = 0, n = 0;

    *deviation = 0;
    for (size_t i = 0; ranges && i < count; i++) {
        if (isnan(points[i].y) || isnan(passes->y[i]))
            continue;
        at[found++] = i;
        if (found < neighbours)
            continue;
        double low = INFINITY, high = -INFINITY, y = fabs(points[at[PASS_REACH]].y);
        for (size_t pass = 0; pass < passes->count; pass++) {
            for (size_t k = 0; k < neighbours; k++)
                near[k] = passes->y[pass * count + at[k]] - points[at[k]].y;
            double d = median(near, neighbours);
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

bool passes_show(enum knee_kind kind, const struct knee_point *points, size_t count, const struct knee_passes *passes,
                 const struct knee *k, bool *good)
{
    double *scratch = malloc((count + 1) * sizeof *scratch), rise = rise_of(kind, points, k);
    size_t first = 0, last, showing = 0;

    *good = *good && scratch;
    while (first + 1 < count && points[first + 1].x <= k->low)
        first++;
    for (last = first; last + 1 < count && points[last].x < k->end; last++)
        ;
    size_t reach = (last - first) / PASS_WIDE > PASS_REACH ? (last - first) / PASS_WIDE : PASS_REACH;
    size_t from = first > reach ? first - reach : 0, to = last + reach < count ? last + reach : count - 1;
    for (size_t pass = 0; scratch && pass < passes->count; pass++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = from; i <= to; i += reach) {
            size_t end = i + reach + 1 < count ? i + reach + 1 : count;
            double d = distance(points, passes->y + pass * count, i > reach ? i - reach : 0, end, scratch);
            low = fmin(low, d);
            high = fmax(high, d);
        }
        showing += high - low < rise * PASS_SHARE;
    }
    free(scratch);
    return showing == passes->count;
}
