#include "lib/structure/beside_reader.h"

#include <math.h>
#include <string.h>

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

/*
 * Whether the level after knee i is the one before it, of which the reader makes some lines miss: they are no more than
 * it can cause, as a part of what misses after the next edge, and that edge is too near to be another level's. The
 * reader's misses begin a way below the capacity, which of two ways is half of it: as far as the interval of its edge
 * reaches counts.
 */
static bool is_readers(const struct verdict *v, size_t i, double line_bytes)
{
    const struct knee *k = &v->knees[i], *next = k + 1;
    const double missed = (k->after - k->before) / (next->after - k->before) * next->low / line_bytes;

    return next->value < LEVELS_APART * k->high && missed <= READER_LINES * MOST_WAYS;
}

/* Makes one edge of knees i and i + 1; the level between them is none. */
static void join_next(struct verdict *v, size_t i)
{
    const struct knee first = v->knees[i];

    v->count--;
    v->level_count--;
    memmove(&v->knees[i], &v->knees[i + 1], (v->count - i) * sizeof v->knees[0]);
    memmove(&v->levels[i + 1], &v->levels[i + 2], (v->level_count - i - 1) * sizeof v->levels[0]);
    v->knees[i].low = first.low;
    v->knees[i].unseen = first.unseen;
    v->knees[i].foot = first.foot;
    v->knees[i].before = first.before;
}

struct verdict beside_reader(const struct search *s, double line_bytes)
{
    struct verdict v = s->verdict;

    for (size_t i = 0; i + 1 < v.count;)
        if (is_readers(&v, i, line_bytes))
            join_next(&v, i);
        else
            i++;
    for (size_t i = 0; i < v.count; i++)
        v.knees[i].high = surely_too_large(s, &v.knees[i], line_bytes);
    return v;
}
