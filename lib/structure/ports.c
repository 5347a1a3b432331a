#include "lib/structure/ports.h"

#include <math.h>

#include "lib/structure/tolerances_ports.h"

enum { OPS_BITS = 64 };

_Static_assert(PORTS_CLASSES *PORTS_OPS <= OPS_BITS, "a port's operations do not fit");

unsigned ports_used(const struct ports_map *map)
{
    unsigned all = 0;

    for (size_t i = 0; i < map->count; i++)
        for (size_t o = 0; o < PORTS_OPS; o++)
            all |= map->ops[i][o].ports;
    return (unsigned)__builtin_popcount(all);
}

/* Sets of ports of a mix, and the operations that can run nowhere else. */
struct loads {
    unsigned sets[PORTS_CLASSES * PORTS_OPS];
    double of[PORTS_CLASSES * PORTS_OPS];
    size_t count;
};

static void add_load(struct loads *l, unsigned ports, double operations)
{
    size_t at = 0;

    while (at < l->count && l->sets[at] != ports)
        at++;
    if (at == l->count) {
        l->sets[at] = ports;
        l->of[l->count++] = 0;
    }
    l->of[at] += operations;
}

/* Ports that sets overlapping with these have, and those overlapping with them: no others share an operation. */
static unsigned connected(const struct loads *l, unsigned ports)
{
    for (unsigned before = 0; before != ports;) {
        before = ports;
        for (size_t i = 0; i < l->count; i++)
            ports |= l->sets[i] & ports ? l->sets[i] : 0;
    }
    return ports;
}

/*
 * The most cycles that any of these ports take. A set of ports that is no union of operations' sets is no worse a
 * bottleneck than the largest union in it, so that unions are tried where there are fewer of them.
 */
static double worst_of(const struct loads *l, unsigned ports)
{
    unsigned sets[PORTS_CLASSES * PORTS_OPS];
    size_t count = 0;
    double worst = 0;

    for (size_t i = 0; i < l->count; i++)
        if (l->sets[i] & ports)
            sets[count++] = l->sets[i];
    const bool listed = count <= (size_t)__builtin_popcount(ports);
    for (unsigned q = listed ? 1 : ports; q; q = listed ? (q + 1) & ((1u << count) - 1) : (q - 1) & ports) {
        unsigned chosen = listed ? 0 : q;
        double sum = 0;
        for (size_t i = 0; i < count && listed; i++)
            chosen |= q >> i & 1 ? sets[i] : 0;
        for (size_t i = 0; i < l->count; i++)
            sum += l->sets[i] & ~chosen ? 0 : l->of[i];
        worst = fmax(worst, sum / (double)__builtin_popcount(chosen));
    }
    return worst;
}

double ports_cycles(const struct ports_map *map, double width, const struct ports_mix *mix)
{
    struct loads l = {.count = 0};
    double instructions = 0, worst;
    unsigned left = 0;

    for (size_t i = 0; i < map->count; i++) {
        instructions += mix->times[i];
        for (size_t o = 0; o < PORTS_OPS && mix->times[i]; o++) {
            const struct ports_op *op = &map->ops[i][o];
            if (op->ports)
                add_load(&l, op->ports, (double)mix->times[i] * op->times);
            left |= op->ports;
        }
    }
    worst = instructions / width;
    while (left) {
        const unsigned ports = connected(&l, left & -left);
        worst = fmax(worst, worst_of(&l, ports));
        left &= ~ports;
    }
    return worst;
}

void ports_compare(struct ports_map *map, double width, const struct ports_mix *mix)
{
    const double off = mix->cycles / ports_cycles(map, width, mix) - 1;

    map->loss += off * off * (off < 0 ? PORTS_FAST_WEIGHT : 1);
    map->fast = fmax(map->fast, -off);
    map->slow = fmax(map->slow, off);
    map->slow_mixes += off > PORTS_SLOW;
    map->mixes++;
}

bool ports_fits(const struct ports_map *map, bool rare)
{
    return map->fast <= PORTS_FAST && map->slow_mixes * PORTS_RARE_ONE_IN <= (rare ? map->mixes : 0);
}

void ports_renumber(struct ports_map *map)
{
    uint64_t runs[PORTS_MOST] = {0}; /* for each port the operations that run on it, the first one in the highest bit */

    for (size_t i = 0; i < map->count; i++)
        for (size_t o = 0; o < PORTS_OPS; o++)
            for (size_t port = 0; port < PORTS_MOST; port++)
                if (map->ops[i][o].ports >> port & 1)
                    runs[port] |= UINT64_C(1) << (OPS_BITS - 1 - (i * PORTS_OPS + o));
    for (size_t a = 1; a < PORTS_MOST; a++)
        for (size_t b = a; b > 0 && runs[b - 1] < runs[b]; b--) {
            const uint64_t other = runs[b];
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
