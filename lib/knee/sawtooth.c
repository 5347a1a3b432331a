#include "lib/knee/sawtooth.h"

#include <math.h>
#include <stdbool.h>

#include "lib/knee/tolerances.h"

/* Number of values that a sawtooth explains whose top is at place `first` and every `period` places from there. */
static size_t explained(const double *y, size_t count, unsigned period, size_t first, double top)
{
    size_t right = 0;

    for (size_t i = 0; i < count; i++)
        right += fabs(y[i] - (top - (double)((i + period - first) % period))) < SAWTOOTH_ALIKE;
    return right;
}

struct sawtooth sawtooth_fit(const double *y, size_t count)
{
    struct sawtooth best = {.period = 0};
    const size_t least = count - count / SAWTOOTH_ONE_IN;
    size_t most = 0;
    bool tied = false;

    for (unsigned period = 1; period <= count / 2; period++)
        for (size_t first = 0; first < period; first++)
            for (size_t at = 0; at < count; at++) { /* tops that follow from each number: any may be wrong */
                const struct sawtooth s = {period, y[at] + (double)((at + period - first) % period)};
                const size_t right = explained(y, count, period, first, s.top);
                const bool other = s.period != best.period || fabs(s.top - best.top) > SAWTOOTH_ALIKE;
                if (right < least || right < most || (right == most && !other))
                    continue;
                tied = right == most; /* for example where the numbers at all tops are wrong */
                best = s;
                most = right;
            }
    if (tied)
        best.period = 0;
    return best;
}

/* Longest blurred tooth: it must repeat three times in the few places that a probe measures. */
enum { PERIOD_MOST = 16 };

/* tooth[place]: the commonest number among those a period apart. Returns how many numbers differ from it, NaN too. */
static size_t commonest(const double *y, size_t count, unsigned period, double *tooth)
{
    size_t others = 0;

    for (size_t place = 0; place < period; place++) {
        size_t most = 0, all = 0;
        tooth[place] = (double)NAN;
        for (size_t at = place; at < count; at += period, all++) {
            size_t same = 0;
            for (size_t i = place; i < count; i += period)
                same += fabs(y[i] - y[at]) < SAWTOOTH_ALIKE;
            if (same > most)
                tooth[place] = y[at];
            most = same > most ? same : most;
        }
        others += all - most;
    }
    return others;
}

unsigned sawtooth_blurred_period(const double *y, size_t count)
{
    for (unsigned period = 3; period <= count / 3 && period <= PERIOD_MOST; period++) {
        double tooth[PERIOD_MOST], least = INFINITY, most = -INFINITY;
        unsigned rises = 0;
        if (commonest(y, count, period, tooth) > count / SAWTOOTH_ONE_IN)
            continue;
        for (unsigned i = 0; i < period; i++) {
            least = fmin(least, tooth[i]);
            most = fmax(most, tooth[i]);
            rises += tooth[(i + 1) % period] > tooth[i];
        }
        if (rises == 1 && most - least >= period - 2 && most - least <= period - 1)
            return period;
    }
    return 0;
}
