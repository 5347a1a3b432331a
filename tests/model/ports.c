#include "tests/model/ports.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void ports_start(struct ports_busy *p, const struct port_design *design)
{
    const size_t used = p->newest < PORTS_CYCLES ? (size_t)p->newest + 1 : PORTS_CYCLES;

    if (!design->differ)
        return;
    memset(p->cycles, 0, used * sizeof p->cycles[0]);
    memset(p->shared, 0, sizeof p->shared);
    p->newest = 0;
    for (unsigned kind = 0; kind < PORTS_KINDS; kind++)
        for (unsigned i = 0; i < PORTS_OPERATIONS; i++)
            for (unsigned unit = 0; unit < PORTS_UNITS; unit++)
                p->shared[unit] = (uint8_t)(p->shared[unit] + (design->of[kind][i] >> unit & 1));
}

/* Of the units that are free that which the fewest others may use. */
static uint16_t choose(const struct ports_busy *p, uint16_t available)
{
    unsigned best = (unsigned)__builtin_ctz(available);

    for (unsigned unit = best + 1; unit < PORTS_UNITS; unit++)
        if ((available >> unit & 1) && p->shared[unit] < p->shared[best])
            best = unit;
    return (uint16_t)(1u << best);
}

double ports_begin(struct ports_busy *p, const uint16_t operations[PORTS_OPERATIONS], double start)
{
    double last = start;

    for (unsigned i = 0; i < PORTS_OPERATIONS && operations[i]; i++) {
        int64_t cycle = (int64_t)ceil(start);
        if (cycle <= p->newest - PORTS_CYCLES) /* the ring knows no more of cycles that far back: nothing is free */
            cycle = p->newest - PORTS_CYCLES + 1;
        for (uint16_t available = 0; !available; cycle += !available) {
            const unsigned slot = (unsigned)(cycle % PORTS_CYCLES);
            if (p->cycles[slot].cycle != cycle) {
                p->cycles[slot].cycle = cycle;
                p->cycles[slot].begun = 0;
            }
            available = operations[i] & (uint16_t)~p->cycles[slot].begun;
            if (available)
                p->cycles[slot].begun |= choose(p, available);
        }
        p->newest = cycle > p->newest ? cycle : p->newest;
        last = fmax(last, (double)cycle);
    }
    return last;
}
