#include "lib/structure/code_rise.h"

#include <math.h>

#include "lib/base/statistics.h"
#include "lib/structure/tolerances_btb.h"

enum { LEVEL_POINTS = 5 /* whose median is the level: two of them may be disturbed */ };

/*
 * Cycles by which points of the level may differ from it. On Zen 4 they do by up to 0.09 where few branches are in a line;
 * chosen: a quarter of what is clearly more.
 */
static const double LEVEL_CYCLES = 0.1;

bool code_rise_find(const struct search_point *points, size_t count, struct code_rise *out)
{
    double first[LEVEL_POINTS], before = NAN, low = NAN, risen = NAN, before_risen = NAN, low_risen = NAN;
    size_t known = 0;

    for (size_t i = 0; i < count && known < LEVEL_POINTS; i++)
        if (points[i].kept)
            first[known++] = points[i].y;
    if (known < LEVEL_POINTS)
        return false;
    const double level = median(first, known);
    for (size_t i = 0; i < count; i++) {
        const struct search_point *pt = &points[i];
        if (!pt->kept)
            continue;
        if (pt->y - level >= BTB_STEP_CYCLES) {
            if (!isnan(risen)) { /* the second in a row */
                *out = (struct code_rise){.value = before_risen, .low = low_risen, .high = risen};
                return !isnan(before_risen) && !isnan(low_risen);
            }
            risen = pt->x;
            before_risen = before;
            low_risen = low;
            continue;
        }
        risen = NAN;
        before = pt->x;
        if (pt->y - level <= LEVEL_CYCLES)
            low = pt->x;
    }
    return false;
}
