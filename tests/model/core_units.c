/* Units of a modelled core: all alike (units.h), or different ones (ports.h). */
#include "tests/model/core_state.h"

void core_begin_on_unit(struct core *c)
{
    const struct decoded *d = c->now.decoded;

    if (d->accesses)
        return;
    if (c->design.ports.differ && d->unit) {
        const uint16_t *operations = c->design.ports.of[d->unit - 1];
        c->now.start = ports_begin(&c->ports, operations, c->now.start);
        c->front += operations[1] ? c->cycles_per_instruction : 0; /* each takes a slot of the front end */
    }
    if (c->design.units && d->kind == KIND_PLAIN)
        c->now.start = units_begin(&c->units, c->design.units, c->now.start);
    if (c->design.multipliers && d->kind == KIND_MULTIPLY)
        c->now.start = units_begin(&c->multipliers, c->design.multipliers, c->now.start);
}
