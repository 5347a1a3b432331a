#include "lib/structure/conflicts.h"

#include <math.h>

#include "lib/structure/tolerances_ports.h"

/* That many of CONFLICT_STEPS steps of `times`. */
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

/*
 * Cycles of `a` of the first kind and `b` of the second, or with `excess` by how much these are more than by ports:
 * finds the two measured ratios that they lie between, and how much of each makes them up (Cramer's rule; neither is
 * negative then).
 */
static double cycles_of(const struct conflict *c, double a, double b, bool excess)
{
    for (size_t n = 1; n < CONFLICT_MIXES; n++) {
        const struct ports_mix *l = &c->mixes[n - 1], *r = &c->mixes[n];
        const double la = l->times[c->first], lb = l->times[c->second];
        const double ra = r->times[c->first], rb = r->times[c->second], area = la * rb - ra * lb;
        const double left = (a * rb - ra * b) / area, right = (la * b - a * lb) / area;
        if (area > 0 && left >= 0 && right >= 0)
            return left * (l->cycles - excess * c->by_ports[n - 1]) + right * (r->cycles - excess * c->by_ports[n]);
    }
    return 0;
}

/*
 * Cycles of the two kinds beside others that count as `others` of the first kind: those by ports do not change, but the
 * excess is that of a mix with so many more of the first kind.
 */
static double cycles_beside(const struct conflict *c, double a, double b, double others)
{
    return cycles_of(c, a, b, false) - cycles_of(c, a, b, true) + cycles_of(c, a + others, b, true);
}

double conflict_cycles(const struct conflict *c, const struct ports_mix *mix)
{
    double others = 0;

    if (!mix->times[c->first] || !mix->times[c->second])
        return 0;
    for (size_t i = 0; i < PORTS_CLASSES; i++)
        others += c->parts[i] * mix->times[i];
    return cycles_beside(c, mix->times[c->first], mix->times[c->second], others);
}

struct ports_mix conflict_with(const struct conflict *c, size_t other, unsigned times)
{
    struct ports_mix mix = c->mixes[CONFLICT_STEPS];

    mix.times[c->first] = (uint8_t)(mix.times[c->first] - times);
    mix.times[other] = (uint8_t)times;
    return mix;
}

double conflict_part(const struct conflict *c, size_t other, const struct ports_mix *mix)
{
    const double a = mix->times[c->first], b = mix->times[c->second];
    const double none = cycles_beside(c, a, b, 0), all = cycles_beside(c, a, b, mix->times[other]);

    return all > none * (1 + CONFLICT_SEEN) ? fmin(fmax((mix->cycles - none) / (all - none), 0), 1) : 0;
}
