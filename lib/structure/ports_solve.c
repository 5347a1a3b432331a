#include "lib/structure/ports_solve.h"

#include <math.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/base/statistics.h"
#include "lib/structure/tolerances_ports.h"

enum {
    MIX_TIMES = 24,     /* instructions in a mix, about */
    RANDOM_MIXES = 512, /* of which the most disputed is measured … */
    RANDOM_TIMES = 6    /* … with up to so many of each instruction */
};

/*
 * Searches with the width that was given; where no map fits, with the one that was reached; then with some slow mixes
 * allowed.
 */
static void search_maps(struct ports *p, struct ports_beam *a, struct ports_beam *b)
{
    const bool less = p->reached < p->limit * (1 - PORTS_FAST);

    p->fits = false;
    p->width = p->limit;
    if (!p->rare)
        ports_search(p, a, b);
    if (p->fits)
        return;
    if (less)
        p->width = p->reached;
    if (less && !p->rare)
        ports_search(p, a, b);
    if (p->fits)
        return;
    p->rare = true;
    ports_search(p, a, b);
}

/* ---- Mixes ---------------------------------------------------------------------------------------- */

static bool measure_mix(struct ports *p, struct ports_mix *mix)
{
    return p->measure(p->context, mix) && mix->cycles > 0;
}

static void add_mix(struct ports *p, const struct ports_mix *mix)
{
    double instructions = 0;

    for (size_t i = 0; i < p->count; i++)
        instructions += mix->times[i];
    p->reached = fmax(p->reached, instructions / mix->cycles);
    p->mixes[p->mix_count++] = *mix;
}

/* A mix of the instructions of that set, so many of each as keep their ports busy for the same time. */
static struct ports_mix saturating(const struct ports *p, unsigned which)
{
    struct ports_mix mix = {.cycles = 0};
    double rates = 0;

    for (size_t i = 0; i < p->count; i++)
        if (which >> i & 1)
            rates += 1 / p->mixes[i].cycles;
    for (size_t i = 0; i < p->count; i++)
        if (which >> i & 1)
            mix.times[i] = (uint8_t)fmax(1, floor(MIX_TIMES / rates / p->mixes[i].cycles + 0.5));
    return mix;
}

static bool is_measured(const struct ports *p, const struct ports_mix *mix)
{
    for (size_t m = 0; m < p->mix_count; m++)
        if (!memcmp(p->mixes[m].times, mix->times, sizeof mix->times))
            return true;
    return false;
}

struct ports_mix ports_random_mix(const struct ports *p, uint64_t *random, bool any)
{
    unsigned which = 0;
    const unsigned kinds = 3 + (unsigned)random_below(random, 4);

    while ((unsigned)__builtin_popcount(which) < kinds && which != (1u << p->count) - 1)
        which |= 1u << random_below(random, p->count);
    struct ports_mix mix = saturating(p, which);
    for (size_t i = 0; i < p->count && any; i++)
        if (which >> i & 1)
            mix.times[i] = (uint8_t)(1 + random_below(random, RANDOM_TIMES));
    return mix;
}

/* ---- Refuting maps -------------------------------------------------------------------------------- */

/* By how much the maps disagree about a mix, as a part of the least they predict. */
static double disputed(const struct ports *p, const struct ports_mix *mix)
{
    double least = (double)INFINITY, greatest = 0;

    for (size_t i = 0; i < p->map_count; i++) {
        const double cycles = ports_cycles(&p->maps[i], p->width, mix);
        least = fmin(least, cycles);
        greatest = fmax(greatest, cycles);
    }
    return greatest / least - 1;
}

/*
 * The mix about which maps disagree most, of those of three or four instructions and of random ones. Returns by how
 * much.
 */
static double most_disputed(const struct ports *p, uint64_t *random, struct ports_mix *out)
{
    double most = 0;

    for (unsigned which = 1; which < (1u << p->count) + RANDOM_MIXES && p->map_count > 1; which++) {
        const bool saturates = which < 1u << p->count;
        if (saturates && (__builtin_popcount(which) < 3 || __builtin_popcount(which) > 4))
            continue;
        const struct ports_mix mix = saturates ? saturating(p, which) : ports_random_mix(p, random, true);
        const double by = disputed(p, &mix);
        if (by > most && !is_measured(p, &mix)) {
            most = by;
            *out = mix;
        }
    }
    return most;
}

/*
 * Measures the mix, leaves out the maps that it refutes, and brings the best one to the front. A mix that is faster
 * than the best map allows must be so twice, since a map that is left out does not come back.
 */
static bool refute(struct ports *p, struct ports_mix *mix)
{
    size_t left = 0;

    if (!measure_mix(p, mix))
        return false;
    if (mix->cycles < ports_cycles(&p->maps[0], p->width, mix) * (1 - PORTS_FAST)) {
        struct ports_mix again = *mix;
        if (!measure_mix(p, &again))
            return false;
        mix->cycles = fmax(mix->cycles, again.cycles);
    }
    add_mix(p, mix);
    for (size_t i = 0; i < p->map_count; i++) {
        struct ports_map map = p->maps[i];
        size_t at;
        ports_compare(&map, p->width, mix);
        if (!ports_fits(&map, p->rare))
            continue;
        for (at = left++; at > 0 && p->maps[at - 1].loss > map.loss; at--)
            p->maps[at] = p->maps[at - 1];
        p->maps[at] = map;
    }
    p->map_count = left;
    return true;
}

/*
 * Measures the mixes about which maps disagree, and then random ones; where that refutes all maps, the search begins
 * again with what is known by then. False: a measurement failed.
 */
static bool search_and_refute(struct ports *p, struct ports_beam *a, struct ports_beam *b)
{
    struct ports_mix mix;
    uint64_t random = 1;
    unsigned spent = 0;

    for (;;) {
        unsigned predicted = 0;
        search_maps(p, a, b);
        if (!p->fits)
            return true;
        while (p->map_count && predicted < PORTS_VERIFIED) {
            if (!(most_disputed(p, &random, &mix) > PORTS_DISPUTED))
                mix = ports_random_mix(p, &random, predicted++ % 2);
            if (spent++ == p->budget || p->mix_count == PORTS_MIXES)
                return true;
            if (!refute(p, &mix))
                return false;
        }
        p->verified = p->map_count > 0;
        if (p->verified)
            return true;
    }
}

/* ---- Measurements --------------------------------------------------------------------------------- */

/* Each instruction alone, for the first time or once more. */
static bool measure_alone(struct ports *p, double cycles[PORTS_CLASSES])
{
    for (size_t i = 0; i < p->count; i++) {
        struct ports_mix mix = {.cycles = 0};
        mix.times[i] = MIX_TIMES;
        if (!measure_mix(p, &mix))
            return false;
        mix.times[i] = 1;
        cycles[i] = mix.cycles /= MIX_TIMES;
        if (p->mix_count == i)
            add_mix(p, &mix);
    }
    return true;
}

/*
 * Measures instructions alone and in pairs. All maps rest on those alone, so these are medians of measurements spread
 * over the time that the pairs take: a sibling thread may be awake for a part of it.
 */
static bool measure_alone_and_pairs(struct ports *p)
{
    double alone[PORTS_CLASSES][PORTS_CLASSES], all[PORTS_CLASSES];

    for (size_t i = 0; i < p->count; i++) {
        if (!measure_alone(p, alone[i]))
            return false;
        for (size_t j = 0; j < i; j++) {
            struct ports_mix mix = saturating(p, 1u << i | 1u << j);
            if (!measure_mix(p, &mix))
                return false;
            add_mix(p, &mix);
        }
    }
    for (size_t i = 0; i < p->count; i++) {
        for (size_t n = 0; n < p->count; n++)
            all[n] = alone[n][i];
        sort_numbers(all, p->count);
        p->mixes[i].cycles = quantile(all, p->count, 0.5);
    }
    return true;
}

bool ports_solve(struct ports *p, struct ports_beam beams[2])
{
    p->mix_count = p->map_count = 0;
    p->fits = p->verified = p->rare = false;
    p->limit = p->width;
    p->reached = 0;
    return p->count <= PORTS_CLASSES && measure_alone_and_pairs(p) && search_and_refute(p, &beams[0], &beams[1]);
}
