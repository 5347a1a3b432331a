#include "lib/structure/loaded_latency.h"

#include <math.h>

#include "lib/structure/tolerances_memory.h"

/* The first point from which on latency stays above the knee's; count: none. */
static size_t first_above(const struct loaded_point *points, size_t count, double limit)
{
    size_t first = count;

    while (first > 0 && points[first - 1].ns > limit)
        first--;
    return first;
}

void loaded_latency_decide(const struct loaded_point *points, size_t count, struct loaded_verdict *out)
{
    *out = (struct loaded_verdict){.no_knee = REASON_TOO_FEW_POINTS, .not_saturated = REASON_TOO_FEW_POINTS};
    if (count < 3)
        return;
    double least = points[0].ns;
    for (size_t i = 1; i < count; i++)
        least = fmin(least, points[i].ns);
    const double limit = least * LOADED_KNEE;
    const size_t above = first_above(points, count, limit);

    out->no_knee = above == count ? REASON_NO_KNEE : above == 0 ? REASON_NOISE : REASON_NONE;
    for (size_t i = 0; i < above && !out->no_knee; i++)
        if (points[i].ns > limit) /* it rose and fell again */
            out->no_knee = REASON_NOISE;
    if (!out->no_knee) {
        const struct loaded_point *below = &points[above - 1], *behind = &points[above];
        const double part = (limit - below->ns) / (behind->ns - below->ns);
        out->knee = below->bytes_per_ns + part * (behind->bytes_per_ns - below->bytes_per_ns);
        size_t first = above - 1, last = above;
        while (first > 0 && points[first].ns_high > limit)
            first--;
        while (last + 1 < count && points[last].ns_low < limit)
            last++;
        out->low = out->high = out->knee;
        for (size_t i = first; i <= last; i++) {
            out->low = fmin(out->low, points[i].bytes_per_ns);
            out->high = fmax(out->high, points[i].bytes_per_ns);
        }
    }
    const struct loaded_point *last = &points[count - 1];
    for (size_t i = 0; i + 1 < count; i++)
        out->most = fmax(out->most, points[i].bytes_per_ns);
    out->not_saturated = last->bytes_per_ns > LOADED_SATURATES * out->most ? REASON_RANGE_ENDS : REASON_NONE;
    out->most = fmax(out->most, last->bytes_per_ns);
    out->most_low = fmin(last->bytes_per_ns, points[count - 2].bytes_per_ns);
    out->most_high = out->most;
    out->most_ns = last->ns;
}
