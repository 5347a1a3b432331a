#include "tests/model/load_store.h"

#include <string.h>

/*
 * Takes the one that is free first, for `busy` cycles from `start` or later. Returns when; any number for a count of
 * 0.
 */
static double take(double *free_at, unsigned count, double start, double busy)
{
    unsigned first = 0;

    if (!count)
        return start;
    for (unsigned i = 1; i < count; i++)
        if (free_at[i] < free_at[first])
            first = i;
    start = start > free_at[first] ? start : free_at[first];
    free_at[first] = start + busy;
    return start;
}

/* An access takes a port for each piece of the port's width. */
static double take_port(struct load_store *l, const struct load_store_design *d, const struct data_access *a,
                        double start)
{
    const size_t pieces = d->port_bytes ? (l->bytes + a->size + d->port_bytes - 1) / d->port_bytes -
                                              (l->bytes + d->port_bytes - 1) / d->port_bytes
                                        : 1;
    const double busy = l->threads ? l->threads : 1;

    for (size_t i = 0; i < pieces; i++)
        start = a->store ? take(l->store_ports, d->stores, start, busy) : take(l->load_ports, d->loads, start, busy);
    return start;
}

double load_store_done(struct load_store *l, const struct load_store_design *d, const struct data_access *a)
{
    const uint64_t line = a->address / a->line_bytes, last = (a->address + a->size - 1) / a->line_bytes;
    const size_t slot = a->address / 8 % STORED;

    if (l->instruction != a->instruction) {
        l->instruction = a->instruction;
        l->line = line;
        l->bytes = 0;
    }
    double start = take_port(l, d, a, a->start);
    l->bytes += a->size;
    if (a->store) {
        l->stored[slot].address = a->address;
        l->stored[slot].at = start;
        return start + 1;
    }
    if (a->missed)
        start = take(l->misses, d->misses, start, a->latency);
    double done = start + a->latency + (line != l->line || last != l->line ? d->split : 0);
    if (d->forward > 0 && l->stored[slot].address == a->address && l->stored[slot].at + d->forward > done)
        done = l->stored[slot].at + d->forward;
    return done;
}

void load_store_start(struct load_store *l)
{
    memset(l, 0, sizeof *l);
}
