#include "lib/structure/overflow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/statistics.h"
#include "lib/structure/replacement.h"
#include "lib/structure/tolerances_replacement.h"

/* ---- Falls -------------------------------------------------------------------------------------- */

double overflow_rise(const struct overflow_point *points, size_t count, double level)
{
    double *y = malloc((count + 1) * sizeof *y), least = (double)NAN;

    for (size_t layout = 0; layout < 2 && y; layout++) {
        size_t n = 0;
        for (size_t i = 0; i < count; i++)
            if (!isnan(points[i].cycles[layout]))
                y[n++] = points[i].cycles[layout];
        sort_numbers(y, n);
        least = fmin(least, quantile(y, n, OVERFLOW_RISE_QUANTILE) - level);
    }
    free(y);
    return least;
}

/* How far the curve falls between two points, on the layout where that is less; 0 where one is not known. */
static double fall(const struct overflow_point *from, const struct overflow_point *to)
{
    const double fell[2] = {from->cycles[0] - to->cycles[0], from->cycles[1] - to->cycles[1]};

    return isnan(fell[0]) || isnan(fell[1]) ? 0 : fmin(fell[0], fell[1]);
}

struct overflow_falls overflow_falls(const struct overflow_point *points, size_t count, double level)
{
    enum { LEAST = 3 }; /* falls that show that they are equally far apart */
    const double height = overflow_rise(points, count, level);
    struct overflow_falls f = {.count = 0};
    unsigned last = 0;
    size_t used = 0;
    bool even = true;

    for (size_t i = 1; i < count; i++) {
        const double fell = fall(&points[i - 1], &points[i]);
        if (!(fell >= OVERFLOW_FALL * height)) {
            f.doubtful += fell > OVERFLOW_NO_FALL * height;
            continue;
        }
        const unsigned apart = points[i].count - last;
        /* a low tooth may be missed; the first ones are the highest */
        even = even && (f.count < 2 || apart % f.period == 0);
        f.period = f.count == 1 ? apart : f.period;
        f.count++;
        last = points[i].count;
        if (used < OVERFLOW_FALLS) {
            const int n = snprintf(f.numbers + used, OVERFLOW_FALLS - used, "%s%u", used ? ", " : "", last);
            used += n > 0 ? (size_t)n : 0;
        }
    }
    f.period = even && f.count >= LEAST ? f.period : 0;
    return f;
}

/* ---- Sets that share ---------------------------------------------------------------------------- */

double overflow_shared(unsigned sets, unsigned ways, unsigned count)
{
    enum { ROUNDS_BEFORE = 16, ROUNDS = 16 }; /* they are steady sooner */
    const struct replacement_policy policy = {.kind = REPLACEMENT_NRU};
    struct replacement_set *set = malloc(sets * sizeof *set);
    size_t missed = 0;

    if (!set)
        return (double)NAN;
    for (unsigned i = 0; i < sets; i++)
        replacement_start(&set[i], &policy, ways, 1);
    for (unsigned round = 0; round < ROUNDS_BEFORE + ROUNDS; round++)
        for (unsigned i = 0; i < count; i++) {
            struct replacement_set *s = &set[i % sets];
            for (unsigned all = 0; replacement_exhausts(s, i) && all < sets; all++)
                replacement_renew(&set[(i + 1 + all) % sets]); /* its own last */
            missed += !replacement_touch(s, i) && round >= ROUNDS_BEFORE;
        }
    free(set);
    return (double)missed / ROUNDS / count;
}

bool overflow_is_shared(unsigned sets, unsigned ways, const struct overflow_point *points, size_t count, double level)
{
    double *shares = malloc((count + 1) * sizeof *shares), xy = 0, xx = 0;
    size_t compared = 0, unexplained = 0;

    for (size_t i = 0; i < count && shares && points[i].count <= 2 * sets * ways; i++, compared++) {
        const double y = (points[i].cycles[0] + points[i].cycles[1]) / 2 - level;
        shares[i] = overflow_shared(sets, ways, points[i].count);
        xy += isnan(y) ? 0 : shares[i] * y;
        xx += isnan(y) ? 0 : shares[i] * shares[i];
    }
    const double miss = xy / xx;
    for (size_t i = 0; i < compared; i++) {
        const double y = (points[i].cycles[0] + points[i].cycles[1]) / 2 - level;
        unexplained += !(fabs(y / miss - shares[i]) <= OVERFLOW_SHARE);
    }
    free(shares);
    return miss > 0 && compared >= REPLACEMENT_TRIALS_LEAST && unexplained <= compared / REPLACEMENT_NOISY_ONE_IN;
}
