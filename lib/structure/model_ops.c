#include "lib/structure/model_ops.h"

#include <math.h>

#include "lib/structure/tolerances_ports.h"

/* Cycles by which a latency may be more than a whole number. Chosen: several times what latencies are off by. */
static const double OFF = 0.1;

static unsigned within(const struct schedule_need *n, uint16_t units)
{
    unsigned count = 0;

    for (unsigned i = 0; i < n->count; i++)
        count += !(n->ops[i].units & ~units);
    return count;
}

static void add_class(struct schedule_need *n, uint16_t units, double ops)
{
    const double more = floor(ops - within(n, units) + BLOCKED_WHOLE);

    for (double i = 0; i < more && n->count < SCHEDULE_OPS; i++)
        n->ops[n->count++].units = units;
}

void model_ops_set(const struct form_demands *d, const struct form_demand *f, double latency, struct schedule_need *n)
{
    const double whole = isnan(latency) ? 0 : ceil(latency - OFF);

    n->count = 0;
    for (int units = 1; units <= SCHEDULE_UNITS; units++) /* classes of few units first */
        for (size_t i = 0; i < DEMAND_FRONT_END; i++)
            if (__builtin_popcount(d->units[i]) == units && d->each[i] > 0)
                add_class(n, d->units[i], f->of[i] / d->each[i]);
    for (unsigned i = 0; i < n->count; i++)
        n->ops[i].cycles = whole > 0 && whole < SCHEDULE_LATENCY ? (uint8_t)fmax(1, whole - n->count + 1) : 0;
}
