#include "lib/structure/beside_reader.h"

#include <math.h>

#include "lib/structure/tolerances_hierarchy.h"

/* The first footprint from `k->high` on that misses more than the reader can cause; the end of the rise at most. */
static double surely_too_large(const struct search *s, const struct knee *k, double line_bytes)
{
    const double rise = k->after - k->before;

    for (size_t i = 0; i < s->count && s->points[i].x < k->end; i++) {
        const double lines = s->points[i].x / line_bytes, missed = (s->points[i].y - k->before) / rise * lines;
        if (s->points[i].x >= k->high && missed > READER_LINES * MOST_WAYS)
            return s->points[i].x;
    }
    return fmax(k->high, k->end);
}

struct verdict beside_reader(const struct search *s, double line_bytes)
{
    struct verdict v = s->verdict;

    for (size_t i = 0; i < v.count; i++)
        v.knees[i].high = surely_too_large(s, &v.knees[i], line_bytes);
    return v;
}
