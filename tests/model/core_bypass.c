/* Ways between units of a modelled core (bypass.h). */
#include "tests/model/core_state.h"

double core_bypassed(const struct core *c, const struct decoded *d)
{
    double start = c->front;

    for (unsigned i = 0; i < d->read_count; i++) {
        const double longer = c->design.bypass.longer[c->made[d->read[i]]][d->needs[i]];
        start = later(start, c->ready[d->read[i]] + longer);
    }
    return start;
}
