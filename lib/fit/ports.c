#include "lib/fit/ports.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/engine/statistics.h"

enum {
    TIMES_MOST = 8,     /* operations of one kind that an instruction may be */
    SETS_LISTED = 10,   /* of so many sets, their unions are walked; of more, all sets of ports */
    MIX_TIMES = 24,     /* instructions in a mix, about */
    LATE_MOST = 4,      /* instructions of more than one operation that are looked for */
    VERIFIED = 32,      /* random mixes that the best map must predict … */
    RANDOM_MIXES = 512, /* of which the most disputed is measured */
    RANDOM_TIMES = 6,   /* … every other one with up to so many of each instruction */
    /*
     * One mix in so many may be slower than PORTS_SLOW: nine in ten of Johnson's on Firestorm fit his map, and one does
     * not.
     */
    SLOW_RARE = 10,
    OPS_BITS = 32
};

/* Faster than possible counts so many times as much as slower than ideal. */
static const double REFUTES = 25;
/* Added to the loss for each operation more than one: less than what one mix that is off by 2 % adds. */
static const double COMPLICATED = 1e-4;
/* What maps must disagree by to be worth a measurement: one of two is then refuted by PORTS_FAST at either end. */
static const double APART = 2 * PORTS_FAST;

_Static_assert(PORTS_CLASSES *PORTS_OPS <= OPS_BITS, "a port's operations do not fit");

unsigned ports_used(const struct ports_map *map)
{
    unsigned all = 0;

    for (size_t i = 0; i < map->count; i++)
        for (size_t o = 0; o < PORTS_OPS; o++)
            all |= map->ops[i][o].ports;
    return (unsigned)__builtin_popcount(all);
}

double ports_cycles(const struct ports_map *map, double width, const struct ports_mix *mix)
{
    unsigned sets[PORTS_CLASSES * PORTS_OPS], all = 0;
    double load[PORTS_CLASSES * PORTS_OPS], instructions = 0, worst;
    size_t count = 0;

    for (size_t i = 0; i < map->count; i++) {
        instructions += mix->times[i];
        for (size_t o = 0; o < PORTS_OPS && mix->times[i]; o++) {
            const struct ports_op *op = &map->ops[i][o];
            size_t at = 0;

            if (!op->ports)
                continue;
            while (at < count && sets[at] != op->ports)
                at++;
            if (at == count) {
                sets[count] = op->ports;
                load[count++] = 0;
            }
            load[at] += (double)mix->times[i] * op->times;
            all |= op->ports;
        }
    }
    worst = instructions / width;
    /* A set of ports that is no union of sets is no worse than the largest union in it. */
    const bool listed = count <= SETS_LISTED;
    for (unsigned q = 1; q < 1u << (listed ? count : PORTS_MOST); q++) {
        unsigned ports = listed ? 0 : q;
        double sum = 0;

        if (!listed && q & ~all)
            continue;
        for (size_t s = 0; listed && s < count; s++)
            if (q >> s & 1)
                ports |= sets[s];
        for (size_t s = 0; s < count; s++)
            if (!(sets[s] & ~ports))
                sum += load[s];
        const double cycles = sum / (double)__builtin_popcount(ports);
        if (cycles > worst)
            worst = cycles;
    }
    return worst;
}

/* Adds what these measurements say against the map. */
static void judge(const struct ports *p, struct ports_map *map, const struct ports_mix *mix)
{
    const double off = mix->cycles / ports_cycles(map, p->width, mix) - 1;

    map->loss += off * off * (off < 0 ? REFUTES : 1);
    map->fast = fmax(map->fast, -off);
    map->slow = fmax(map->slow, off);
    map->slow_mixes += off > PORTS_SLOW;
    map->mixes++;
}

static bool map_fits(const struct ports *p, const struct ports_map *map)
{
    return map->fast <= PORTS_FAST && map->slow_mixes * SLOW_RARE <= (p->rare ? map->mixes : 0);
}

static bool within(const struct ports_mix *mix, unsigned placed)
{
    for (size_t i = 0; i < PORTS_CLASSES; i++)
        if (mix->times[i] && !(placed >> i & 1))
            return false;
    return true;
}

/* Gives ports numbers by what runs on them: maps that differ in the numbers alone become equal. */
static void order_ports(struct ports_map *map)
{
    uint32_t runs[PORTS_MOST] = {0};

    for (size_t i = 0; i < map->count; i++)
        for (size_t o = 0; o < PORTS_OPS; o++)
            for (size_t port = 0; port < PORTS_MOST; port++)
                if (map->ops[i][o].ports >> port & 1)
                    runs[port] |= UINT32_C(1) << (OPS_BITS - 1 - (i * PORTS_OPS + o));
    for (size_t a = 1; a < PORTS_MOST; a++)
        for (size_t b = a; b > 0 && runs[b - 1] < runs[b]; b--) {
            const uint32_t other = runs[b];
            runs[b] = runs[b - 1];
            runs[b - 1] = other;
        }
    for (size_t i = 0; i < map->count; i++)
        for (size_t o = 0; o < PORTS_OPS; o++) {
            map->ops[i][o].ports = 0;
            for (size_t port = 0; port < PORTS_MOST; port++)
                if (runs[port] >> (OPS_BITS - 1 - (i * PORTS_OPS + o)) & 1)
                    map->ops[i][o].ports |= (uint16_t)(1u << port);
        }
}

struct beam {
    struct ports_map maps[PORTS_MAPS]; /* by loss, the least first */
    size_t count;
};

/* One step of the search: instruction `at` is added to each map of `from`; what is found goes to `to`. */
struct step {
    const struct ports *p;
    const struct beam *from;
    struct beam *to;
    const uint16_t *mixes; /* those that became complete with this instruction */
    size_t mix_count, at;
    const struct ports_mix *alone;
};

static void keep(struct beam *b, const struct ports_map *map)
{
    size_t at = b->count;

    for (size_t i = 0; i < b->count; i++)
        if (!memcmp(b->maps[i].ops, map->ops, sizeof map->ops))
            return;
    while (at > 0 && b->maps[at - 1].loss > map->loss)
        at--;
    if (at == PORTS_MAPS)
        return;
    b->count += b->count < PORTS_MAPS;
    memmove(&b->maps[at + 1], &b->maps[at], (b->count - at - 1) * sizeof *b->maps);
    b->maps[at] = *map;
}

/* Judges a map in which the instruction has been placed. */
static void consider(const struct step *s, struct ports_map map)
{
    unsigned operations = 0;

    for (size_t o = 0; o < PORTS_OPS; o++)
        if (map.ops[s->at][o].ports)
            operations += map.ops[s->at][o].times;
    map.loss += COMPLICATED * (operations - 1);
    for (size_t m = 0; m < s->mix_count; m++) {
        judge(s->p, &map, &s->p->mixes[s->mixes[m]]);
        if (s->to->count == PORTS_MAPS && map.loss > s->to->maps[PORTS_MAPS - 1].loss)
            return;
    }
    order_ports(&map);
    keep(s->to, &map);
}

/* Whether the instruction alone is as fast as measured. */
static bool alone_fits(const struct step *s, const struct ports_map *map)
{
    const double off = s->alone->cycles / ports_cycles(map, s->p->width, s->alone) - 1;

    return off >= -PORTS_FAST && off <= PORTS_SLOW;
}

/* Ports that the same operations can use, beginning with those from `from` on. */
static unsigned alike(const struct ports_map *map, unsigned rest)
{
    const unsigned first = rest & -rest;
    unsigned same = rest;

    for (size_t i = 0; i < map->count; i++)
        for (size_t o = 0; o < PORTS_OPS; o++)
            same &= map->ops[i][o].ports & first ? map->ops[i][o].ports : ~(unsigned)map->ops[i][o].ports;
    return same;
}

/* All ways to take `size` ports of `rest`; of ports that are alike, the first ones. */
static void place_on(const struct step *s, struct ports_map *map, unsigned rest, unsigned size)
{
    if (!size) {
        consider(s, *map);
        return;
    }
    if (!rest)
        return;
    unsigned same = alike(map, rest);
    const uint16_t before = map->ops[s->at][0].ports;
    rest &= ~same;
    place_on(s, map, rest, size);
    for (unsigned left = size; left > 0 && same; left--) {
        map->ops[s->at][0].ports |= (uint16_t)(same & -same);
        same &= same - 1;
        place_on(s, map, rest, left - 1);
    }
    map->ops[s->at][0].ports = before;
}

/* The ports that no operation has, `size` of them; 0 where there are too few. */
static uint16_t fresh_ports(const struct ports_map *map, unsigned size)
{
    const unsigned used = ports_used(map);

    return (uint16_t)(used + size > PORTS_MOST ? 0 : (1u << (used + size)) - (1u << used));
}

static void place_single(const struct step *s, const struct ports_map *from)
{
    struct ports_map map = *from;

    for (unsigned times = 1; times <= TIMES_MOST; times++)
        for (unsigned size = 1; size <= PORTS_MOST; size++) {
            /* two on two ports are one on one, as far as can be seen of most mixes: what the simpler one is for */
            bool simplest = true;
            for (unsigned d = 2; d <= times; d++)
                simplest &= times % d || size % d;
            if (!simplest || (size > 1 && (double)(size - 1) >= (double)times * s->p->width))
                continue;
            map.ops[s->at][0] = (struct ports_op){(uint16_t)((1u << size) - 1), (uint16_t)times};
            if (!alone_fits(s, &map))
                continue;
            map.ops[s->at][0].ports = 0;
            place_on(s, &map, (1u << PORTS_MOST) - 1, size);
        }
}

/* Two operations, each on the ports of another instruction's or on its own. */
static void place_double(const struct step *s, const struct ports_map *from)
{
    uint16_t sets[PORTS_CLASSES * PORTS_OPS + PORTS_MOST];
    struct ports_map map = *from;
    size_t known = 0, count;

    for (size_t i = 0; i < from->count; i++)
        for (size_t o = 0; o < PORTS_OPS; o++) {
            const uint16_t ports = from->ops[i][o].ports;
            bool is_new = ports;
            for (size_t k = 0; k < known; k++)
                is_new &= sets[k] != ports;
            if (is_new)
                sets[known++] = ports;
        }
    count = known;
    for (unsigned size = 1; fresh_ports(from, size); size++)
        sets[count++] = fresh_ports(from, size);
    for (size_t a = 0; a < known; a++)
        for (size_t b = a; b < count; b++) {
            map.ops[s->at][0] = (struct ports_op){sets[a], a == b ? 2 : 1};
            map.ops[s->at][1] = (struct ports_op){a == b ? 0 : sets[b], 1};
            if (alone_fits(s, &map))
                consider(s, map);
        }
}

static const struct ports_mix *alone(const struct ports *p, size_t i)
{
    return &p->mixes[i]; /* the first measurements are those */
}

/*
 * Places instructions, but not those of `without`; those of `late` last and as more than one operation, too. The result
 * is in `a`, `b` is room. False: none can be placed at all.
 */
static bool search(const struct ports *p, struct beam *a, struct beam *b, unsigned without, unsigned late)
{
    uint16_t mixes[PORTS_MIXES];
    unsigned placed = 0;
    const unsigned all = (1u << p->count) - 1;

    a->count = 1;
    a->maps[0] = (struct ports_map){.count = p->count};
    while ((placed | without) != all) {
        size_t next = p->count;
        const bool early = (placed | without | late) != all;
        for (size_t i = 0; i < p->count; i++)
            if (!((placed | without | (early ? late : 0)) >> i & 1) &&
                (next == p->count || alone(p, i)->cycles < alone(p, next)->cycles))
                next = i;
        struct step s = {.p = p, .from = a, .to = b, .mixes = mixes, .at = next, .alone = alone(p, next)};
        for (size_t m = 0; m < p->mix_count; m++)
            if (p->mixes[m].times[next] && within(&p->mixes[m], placed | 1u << next))
                mixes[s.mix_count++] = (uint16_t)m;
        b->count = 0;
        for (size_t i = 0; i < a->count; i++) {
            place_single(&s, &a->maps[i]);
            if (!early)
                place_double(&s, &a->maps[i]);
        }
        if (!b->count)
            return false;
        memcpy(a, b, sizeof *a);
        placed |= 1u << next;
    }
    return true;
}

/* All maps that fit, or else the best one; as few instructions as possible are more than one operation. */
static void try_maps(struct ports *p, struct beam *a, struct beam *b)
{
    unsigned late = 0;
    bool found = search(p, a, b, 0, 0);

    for (unsigned n = 0; n < LATE_MOST && p->count > 2 && !(found && map_fits(p, &a->maps[0])); n++) {
        size_t culprit = p->count;
        double least = (double)INFINITY;
        for (size_t i = 0; i < p->count; i++)
            if (!(late >> i & 1) && search(p, a, b, 0, late | 1u << i) && a->maps[0].loss < least) {
                least = a->maps[0].loss;
                culprit = i;
            }
        if (culprit == p->count)
            break;
        late |= 1u << culprit;
        found = search(p, a, b, 0, late);
    }
    p->map_count = 0;
    for (size_t i = 0; found && i < a->count; i++)
        if (i == 0 || map_fits(p, &a->maps[i]))
            p->maps[p->map_count++] = a->maps[i];
    p->fits = found && map_fits(p, &p->maps[0]);
}

/* By the width that was told; where no map fits so, by what was reached; and then with some mixes that are slow. */
static void solve(struct ports *p, struct beam *a, struct beam *b)
{
    const bool less = p->reached < p->limit * (1 - PORTS_FAST);

    p->fits = false;
    p->width = p->limit;
    if (!p->rare)
        try_maps(p, a, b);
    if (p->fits)
        return;
    if (less)
        p->width = p->reached;
    if (less && !p->rare)
        try_maps(p, a, b);
    if (p->fits)
        return;
    p->rare = true;
    try_maps(p, a, b);
}

static bool measure(struct ports *p, struct ports_mix *mix)
{
    return p->measure(p->context, mix) && mix->cycles > 0;
}

static void add(struct ports *p, const struct ports_mix *mix)
{
    double instructions = 0;

    for (size_t i = 0; i < p->count; i++)
        instructions += mix->times[i];
    p->reached = fmax(p->reached, instructions / mix->cycles);
    p->mixes[p->mix_count++] = *mix;
}

/* As many of each of these as keep all their ports busy for the same time. */
static struct ports_mix saturating(const struct ports *p, unsigned which)
{
    struct ports_mix mix = {.cycles = 0};
    double rates = 0;

    for (size_t i = 0; i < p->count; i++)
        if (which >> i & 1)
            rates += 1 / alone(p, i)->cycles;
    for (size_t i = 0; i < p->count; i++)
        if (which >> i & 1)
            mix.times[i] = (uint8_t)fmax(1, floor(MIX_TIMES / rates / alone(p, i)->cycles + 0.5));
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

/* By how much maps that fit disagree about a mix, of the least. */
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

/* The most disputed of mixes of three or four that saturate, and of random ones. Returns by how much. */
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
 * Measures, leaves out the maps which that refutes, and brings the best to the front. What is faster than the best allows
 * has to be so twice, since none comes back.
 */
static bool refute(struct ports *p, struct ports_mix *mix)
{
    size_t left = 0;

    if (!measure(p, mix))
        return false;
    if (mix->cycles < ports_cycles(&p->maps[0], p->width, mix) * (1 - PORTS_FAST)) {
        struct ports_mix again = *mix;
        if (!measure(p, &again))
            return false;
        mix->cycles = fmax(mix->cycles, again.cycles);
    }
    add(p, mix);
    for (size_t i = 0; i < p->map_count; i++) {
        struct ports_map map = p->maps[i];
        size_t at;
        judge(p, &map, mix);
        if (!map_fits(p, &map))
            continue;
        for (at = left++; at > 0 && p->maps[at - 1].loss > map.loss; at--)
            p->maps[at] = p->maps[at - 1];
        p->maps[at] = map;
    }
    p->map_count = left;
    return true;
}

/*
 * Measures what tells maps apart, and then what none of them has seen; where that refutes all, the search begins anew
 * with what is known by then.
 */
static bool tell_apart(struct ports *p, struct beam *a, struct beam *b)
{
    struct ports_mix mix;
    uint64_t random = 1;
    unsigned spent = 0;

    for (;;) {
        unsigned seen = 0;
        solve(p, a, b);
        if (!p->fits)
            return true;
        while (p->map_count && seen < VERIFIED) {
            if (!(most_disputed(p, &random, &mix) > APART))
                mix = ports_random_mix(p, &random, seen++ % 2);
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

/* What each takes alone, for the first time or once more. */
static bool measure_alone(struct ports *p, double cycles[PORTS_CLASSES])
{
    for (size_t i = 0; i < p->count; i++) {
        struct ports_mix mix = {.cycles = 0};
        mix.times[i] = MIX_TIMES;
        if (!measure(p, &mix))
            return false;
        mix.times[i] = 1;
        cycles[i] = mix.cycles /= MIX_TIMES;
        if (p->mix_count == i)
            add(p, &mix);
    }
    return true;
}

/*
 * The first measurements are those of one alone. All maps rest on them, so they are medians of measurements spread over
 * the time that pairs take: others may be awake for a part of it.
 */
static bool measure_alone_and_pairs(struct ports *p)
{
    double alone[PORTS_CLASSES][PORTS_CLASSES], all[PORTS_CLASSES];

    for (size_t i = 0; i < p->count; i++) {
        if (!measure_alone(p, alone[i]))
            return false;
        for (size_t j = 0; j < i; j++) {
            struct ports_mix mix = saturating(p, 1u << i | 1u << j);
            if (!measure(p, &mix))
                return false;
            add(p, &mix);
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

bool ports_solve(struct ports *p)
{
    struct beam *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    bool good = a && b && p->count <= PORTS_CLASSES;

    p->mix_count = p->map_count = 0;
    p->fits = p->verified = p->rare = false;
    p->limit = p->width;
    p->reached = 0;
    good = good && measure_alone_and_pairs(p) && tell_apart(p, a, b);
    free(a);
    free(b);
    return good;
}
