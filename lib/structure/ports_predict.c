#include "lib/structure/ports_predict.h"

#include <math.h>

#include "lib/structure/ports_solve.h"
#include "lib/structure/tolerances_ports.h"

/* Searches for the best order of each mix of a conflict, and of each with another kind, at most. */
enum { CONFLICT_SEARCHES = 1200, PART_SEARCHES = 300 };

static double by_map(const struct ports *ports, const struct ports_mix *mix)
{
    return ports_cycles(&ports->maps[0], ports->width, mix);
}

double ports_expected(const struct ports *ports, const struct ports_conflicts *c, const struct ports_mix *mix)
{
    double cycles = by_map(ports, mix);

    for (size_t i = 0; i < c->count; i++)
        cycles = fmax(cycles, conflict_cycles(&c->all[i], mix));
    return cycles;
}

/* ---- Conflicts ------------------------------------------------------------------------------------ */

/*
 * Measures as what part of the first kind each other kind counts: it replaces half of the first kind, or fewer, so that
 * by the map the mix takes no longer than the pair.
 */
static bool measure_parts(struct mix_search *s, const struct ports *ports, struct conflict *c)
{
    for (size_t i = 0; i < ports->count; i++) {
        unsigned times = c->mixes[CONFLICT_STEPS].times[c->first] / 2;
        struct ports_mix mix = conflict_with(c, i, times);
        if (i == c->first || i == c->second)
            continue;
        while (times && by_map(ports, &mix) > c->by_ports[CONFLICT_STEPS])
            mix = conflict_with(c, i, --times);
        const double expected = conflict_cycles(c, &mix);
        if (!(times && expected > 0))
            continue;
        if (!mix_search_expected(s, &mix, expected, PART_SEARCHES, PORTS_REACHED))
            return false;
        c->parts[i] = conflict_part(c, i, &mix);
    }
    return true;
}

/* The pair in its n-th ratio: cycles by the map, and measured. */
static bool measure_ratio(struct mix_search *s, struct ports *ports, struct conflict *c, size_t n)
{
    c->by_ports[n] = by_map(ports, &c->mixes[n]);
    if (!mix_search_expected(s, &c->mixes[n], c->by_ports[n], CONFLICT_SEARCHES, PORTS_NEAR))
        return false;
    if (ports->mix_count < PORTS_MIXES)
        ports->mixes[ports->mix_count++] = c->mixes[n];
    return true;
}

bool ports_measure_conflicts(struct mix_search *s, struct ports *ports, struct ports_conflicts *out)
{
    const size_t singles = ports->count, pairs = ports->count * (ports->count - 1) / 2;

    for (size_t m = singles; m < singles + pairs && out->count < PORTS_CONFLICTS; m++) {
        struct conflict c = conflict_of(&ports->mixes[m]);
        if (ports->mixes[m].cycles <= by_map(ports, &ports->mixes[m]) * (1 + PORTS_NEAR))
            continue;
        if (!measure_ratio(s, ports, &c, CONFLICT_STEPS))
            return false;
        if (c.mixes[CONFLICT_STEPS].cycles <= c.by_ports[CONFLICT_STEPS] * (1 + PORTS_NEAR))
            continue;
        for (size_t n = 0; n < CONFLICT_MIXES; n++)
            if (n != CONFLICT_STEPS && !measure_ratio(s, ports, &c, n))
                return false;
        if (!measure_parts(s, ports, &c))
            return false;
        out->all[out->count++] = c;
    }
    return true;
}

/* ---- Unseen mixes --------------------------------------------------------------------------------- */

static bool is_near(double cycles, double expected)
{
    return fabs(cycles / expected - 1) <= PORTS_PREDICTED;
}

static bool is_slow(double cycles, double expected)
{
    return cycles > expected * (1 + PORTS_PREDICTED);
}

static bool measure_unseen(struct mix_search *s, struct ports_mix *mix, double expected)
{
    struct ports_mix again = *mix;

    if (!mix_search_expected(s, mix, expected, s->searches, PORTS_NEAR))
        return false;
    if (mix->cycles < expected * (1 - PORTS_FAST)) {
        if (!mix_search_expected(s, &again, expected, s->searches, PORTS_NEAR))
            return false;
        mix->cycles = fmax(mix->cycles, again.cycles);
    }
    return true;
}

static bool measure_slow_again(struct mix_search *s, const struct ports *ports, const struct ports_conflicts *c,
                               struct ports_mix *mixes, size_t count)
{
    for (bool slow = true; slow && mix_search_has_time(s);) {
        slow = false;
        for (size_t i = 0; i < count && mix_search_has_time(s); i++) {
            const double expected = ports_expected(ports, c, &mixes[i]);
            struct ports_mix again = mixes[i];
            if (!is_slow(mixes[i].cycles, expected))
                continue;
            if (!measure_unseen(s, &again, expected))
                return false;
            mixes[i].cycles = fmin(mixes[i].cycles, again.cycles);
            slow |= is_slow(mixes[i].cycles, expected);
        }
    }
    return true;
}

bool ports_predict(struct mix_search *s, struct ports *ports, const struct ports_conflicts *c,
                   struct ports_prediction *out)
{
    struct ports_mix *mixes = &ports->mixes[ports->mix_count];

    for (; out->mixes < out->wanted && ports->mix_count < PORTS_MIXES && mix_search_has_time(s); out->mixes++) {
        struct ports_mix *mix = &ports->mixes[ports->mix_count++];
        *mix = ports_random_mix(ports, &s->probe->random, true);
        if (!measure_unseen(s, mix, ports_expected(ports, c, mix)))
            return false;
    }
    if (!measure_slow_again(s, ports, c, mixes, out->mixes))
        return false;
    for (size_t i = 0; i < out->mixes; i++) {
        const double expected = ports_expected(ports, c, &mixes[i]), off = mixes[i].cycles / expected - 1;
        out->within += is_near(mixes[i].cycles, expected);
        out->by_map += is_near(mixes[i].cycles, by_map(ports, &mixes[i]));
        out->slowest = fmax(out->slowest, off);
        out->fastest = fmax(out->fastest, -off);
    }
    return true;
}

bool ports_is_predicted(const struct ports_prediction *p)
{
    return p->within * PORTS_RARE_ONE_IN >= p->mixes * (PORTS_RARE_ONE_IN - 1);
}
