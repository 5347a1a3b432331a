#include "lib/structure/ports.h"

#include <math.h>

#include "lib/structure/tolerances_ports.h"

enum {
    SETS_LISTED = 10, /* up to so many different sets their unions are tried as Q, beyond that all sets of ports */
    OPS_BITS = 32
};

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
    /* a set of ports that is no union of operations' sets is no worse a bottleneck than the largest union in it */
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
    uint32_t runs[PORTS_MOST] = {0}; /* for each port the operations that run on it, the first one in the highest bit */

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
