#include "lib/knee.h"

#include <math.h>
#include <stdlib.h>

#include "lib/statistics.h"

/*
 * The curve without its missing points. `floor_after[i]` is the lowest reading from i on: the suffix
 * minimum, which never falls, and rises where a level is left for good.
 */
struct view {
    size_t count;
    size_t *index;       /* of each point in the caller's curve */
    double *y;
    double *floor_after;
    double *sorted;      /* room to sort a part of the curve */
};

/* A stretch of points, first to last, both included. */
struct stretch {
    size_t first, last;
};

static bool view_curve(struct view *v, const double *y, size_t count)
{
    *v = (struct view){
        .index = malloc(count * sizeof v->index[0]),
        .y = malloc(3 * count * sizeof v->y[0]),
    };
    if (!v->index || !v->y)
        return false;
    v->floor_after = v->y + count;
    v->sorted = v->y + 2 * count;

    for (size_t i = 0; i < count; i++) {
        if (isfinite(y[i])) {
            v->index[v->count] = i;
            v->y[v->count++] = y[i];
        }
    }
    for (size_t i = v->count; i-- > 0;) {
        bool lower = i + 1 == v->count || v->y[i] < v->floor_after[i + 1];

        v->floor_after[i] = lower ? v->y[i] : v->floor_after[i + 1];
    }
    return true;
}

static double median_of(struct view *v, struct stretch s)
{
    size_t count = s.last - s.first + 1;

    for (size_t i = 0; i < count; i++)
        v->sorted[i] = v->y[s.first + i];
    sort_numbers(v->sorted, count);
    return quantile(v->sorted, count, 0.5);
}

/*
 * How far a level that begins at `first` reaches: up to the point after which every reading is
 * higher than the level by more than the threshold. The level is taken as the lower quartile of its
 * readings, which neither a slow start nor single high readings lift.
 */
static struct stretch reach(struct view *v, size_t first, double threshold)
{
    struct stretch s = {first, first};

    v->sorted[0] = v->y[first];
    while (s.last + 1 < v->count) {
        size_t count = s.last - first + 1;
        double level = quantile(v->sorted, count, 0.25);
        size_t at = count;

        if (v->floor_after[s.last + 1] > level + threshold * fabs(level))
            break;
        s.last++;
        for (; at > 0 && v->sorted[at - 1] > v->y[s.last]; at--)
            v->sorted[at] = v->sorted[at - 1];
        v->sorted[at] = v->y[s.last];
    }
    return s;
}

/*
 * A slope has no level: each of its points is about as far above the one before. On a level, the
 * first half of the points has hardly risen when the end has.
 */
static bool flat(const struct view *v, struct stretch s, double threshold)
{
    double low = v->floor_after[s.first];
    double half = v->floor_after[s.first + (s.last - s.first + 1) / 2];

    return s.last > s.first && half <= low + threshold / 4 * fabs(low);
}

/* The first level at or after `first`; false when the rest of the curve has none. */
static bool find_level(struct view *v, size_t first, double threshold, struct stretch *out)
{
    for (; first < v->count; first++) {
        *out = reach(v, first, threshold);
        if (flat(v, *out, threshold))
            return true;
    }
    return false;
}

size_t knee_rises(const double *y, size_t count, double threshold, struct knee *out, size_t room)
{
    struct view v;
    struct stretch level, next;
    size_t found = 0;

    if (count > 0 && view_curve(&v, y, count) && find_level(&v, 0, threshold, &level)) {
        /* At least two points must lie beyond a rise: one alone is a high reading. */
        while (found < room && level.last + 2 < v.count) {
            bool more = find_level(&v, level.last + 1, threshold, &next);

            if (!more)
                next = (struct stretch){level.last + 1, v.count - 1};
            out[found++] = (struct knee){
                .last_good = v.index[level.last],
                .first_bad = v.index[level.last + 1],
                .low_level = median_of(&v, level),
                .high_level = median_of(&v, next),
            };
            if (!more)
                break;
            level = next;
        }
    }
    if (count > 0) {
        free(v.index);
        free(v.y);
    }
    return found;
}
