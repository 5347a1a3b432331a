#include "tests/model/curves/noise.h"

#include <math.h>

#include "lib/base/random.h"

enum { MISSING_TIME = 20 };

static const double TURN = 6.283185307179586;

/* Uniform between 0 and 1, both excluded. */
static double fraction(uint64_t *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

double between(uint64_t *random, double from, double to)
{
    return from + (to - from) * fraction(random);
}

double magnitude(uint64_t *random, double from, double to)
{
    return exp(between(random, log(from), log(to)));
}

bool chance(uint64_t *random, double probability)
{
    return between(random, 0, 1) < probability;
}

size_t pick(uint64_t *random, size_t from, size_t to)
{
    return from + random_below(random, to - from + 1);
}

double normal(uint64_t *random)
{
    double radius = sqrt(-2 * log(fraction(random))); /* Box and Muller 1958 */

    return radius * cos(TURN * fraction(random));
}

/* Uniform between 0 and 1: one number for each section of time of that length, for each use `what`. */
static double of_section(const struct noise *n, double time, double length, uint64_t what)
{
    uint64_t state = n->seed ^ (what << 56) ^ (uint64_t)(time / length) * 0x9e3779b97f4a7c15;

    return fraction(&state);
}

double noise_apply(const struct noise *n, double y, double time, uint64_t *random)
{
    double factor = 1;

    if (n->missing_share > 0 && fraction(random) < n->missing_share)
        return NAN;
    if (n->missing_run_share > 0 && of_section(n, time, MISSING_TIME, 1) < n->missing_run_share)
        return NAN;
    if (n->white > 0)
        factor += n->white * normal(random);
    if (n->tail_share > 0 && fraction(random) < n->tail_share)
        factor -= n->tail * log(fraction(random));
    if (n->drift > 0)
        for (int i = 0; i < 3; i++)
            factor += n->drift / 3 * sin(TURN * (time / n->period[i] + n->phase[i]));
    if (n->states > 0 && of_section(n, time, n->dwell, 2) < 0.5)
        factor += n->states;
    if (n->settle > 0)
        factor += n->settle * exp(-time / n->settle_time);
    if (n->burst_share > 0 && of_section(n, time, n->burst_time, 3) < n->burst_share)
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
