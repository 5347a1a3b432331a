#include "tests/model/curves/noise.h"

#include <math.h>

#include "lib/engine/statistics.h"

enum { MISSING_TIME = 20 };

static const double TURN = 6.283185307179586;

/* Uniform in 0 … 1, neither of them. */
static double fraction(uint64_t *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

double between(uint64_t *random, double from, double to)
{
    return from + (to - from) * fraction(random);
}

double normal(uint64_t *random)
{
    double radius = sqrt(-2 * log(fraction(random))); /* Box and Muller 1958 */

    return radius * cos(TURN * fraction(random));
}

/* The same number for the same stretch of time, whoever asks. */
static double of_stretch(const struct noise *n, double time, double length, uint64_t what)
{
    uint64_t state = n->seed ^ (what << 56) ^ (uint64_t)(time / length) * 0x9e3779b97f4a7c15;

    return fraction(&state);
}

double noise_apply(const struct noise *n, double y, double time, uint64_t *random)
{
    double factor = 1;

    if (n->missing_share > 0 && fraction(random) < n->missing_share)
        return NAN;
    if (n->missing_run_share > 0 && of_stretch(n, time, MISSING_TIME, 1) < n->missing_run_share)
        return NAN;
    if (n->white > 0)
        factor += n->white * normal(random);
    if (n->tail_share > 0 && fraction(random) < n->tail_share)
        factor -= n->tail * log(fraction(random));
    if (n->drift > 0)
        for (int i = 0; i < 3; i++)
            factor += n->drift / 3 * sin(TURN * (time / n->period[i] + n->phase[i]));
    if (n->states > 0 && of_stretch(n, time, n->dwell, 2) < 0.5)
        factor += n->states;
    if (n->settle > 0)
        factor += n->settle * exp(-time / n->settle_time);
    if (n->burst_share > 0 && of_stretch(n, time, n->burst_time, 3) < n->burst_share)
        factor *= 1 + n->burst;
    if (n->stolen_share > 0 && fraction(random) < n->stolen_share)
        factor *= 1 - n->stolen * log(fraction(random));
    y *= factor;
    return n->quantum > 0 ? floor(y / n->quantum + 0.5) * n->quantum : y;
}

void noise_scale(struct noise *n, double factor)
{
    n->white *= factor;
    n->tail *= factor;
    n->drift *= factor;
    n->states *= factor;
    n->settle *= factor;
    n->quantum *= factor;
}
