#include "lib/fit/conflicts.h"

#include <math.h>

static uint8_t share(uint8_t times, unsigned steps)
{
    return (uint8_t)(((unsigned)times * steps + CONFLICT_STEPS / 2) / CONFLICT_STEPS);
}

struct conflict conflict_of(const struct ports_mix *pair)
{
    struct conflict c = {.first = PORTS_CLASSES};

    for (size_t i = 0; i < PORTS_CLASSES; i++)
        if (pair->times[i]) {
            c.first = c.first == PORTS_CLASSES ? i : c.first;
            c.second = i;
        }
    for (unsigned n = 0; n < CONFLICT_MIXES; n++) {
        const unsigned of_first = CONFLICT_MIXES - 1 - n, of_second = n;
        c.mixes[n].times[c.first] = share(pair->times[c.first], of_first < CONFLICT_STEPS ? of_first : CONFLICT_STEPS);
        c.mixes[n].times[c.second] = share(pair->times[c.second],
                                           of_second < CONFLICT_STEPS ? of_second : CONFLICT_STEPS);
    }
    return c;
}

/* How much of each of two mixes makes this one: Cramer's rule. Neither is negative where it lies between them. */
double conflict_cycles(const struct conflict *c, const struct ports_mix *mix)
{
    const double a = mix->times[c->first], b = mix->times[c->second];

    if (!(a > 0 && b > 0))
        return 0;
    for (size_t n = 1; n < CONFLICT_MIXES; n++) {
        const struct ports_mix *l = &c->mixes[n - 1], *r = &c->mixes[n];
        const double la = l->times[c->first], lb = l->times[c->second];
        const double ra = r->times[c->first], rb = r->times[c->second], area = la * rb - ra * lb;
        const double left = (a * rb - ra * b) / area, right = (la * b - a * lb) / area;
        if (area > 0 && left >= 0 && right >= 0)
            return left * l->cycles + right * r->cycles;
    }
    return 0;
}
