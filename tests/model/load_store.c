#include "tests/model/load_store.h"

#include <string.h>

static struct port_cycle *cycle_of(struct ports *p, uint64_t number)
{
    struct port_cycle *c = &p->cycles[number % PORT_CYCLES];

    if (c->number != number)
        *c = (struct port_cycle){.number = number};
    return c;
}

/*
 * Takes one of so many ports for `busy` cycles, from `start` or later; a count of 0 stands for any number. Returns when.
 * An access that has its operands early gets a port before one that comes earlier in the program and still waits; in
 * cycles long before the latest one ports count as taken.
 */
static double take_port_cycle(struct ports *p, unsigned count, double start, double busy)
{
    if (!count)
        return start;
    const uint64_t earliest = (uint64_t)(start / busy);
    if (p->full_before + PORT_CYCLES / 2 < p->latest)
        p->full_before = p->latest - PORT_CYCLES / 2;
    while (cycle_of(p, p->full_before)->taken >= count)
        p->full_before++;
    uint64_t number = earliest > p->full_before ? earliest : p->full_before;
    while (cycle_of(p, number)->taken >= count)
        number++;
    cycle_of(p, number)->taken++;
    p->latest = number > p->latest ? number : p->latest;
    return (double)number * busy > start ? (double)number * busy : start;
}

/* The first time from `start` on at which the register is free for so long. *at: before which of its misses. */
static double free_time(const struct miss_register *r, double start, double busy, size_t *at)
{
    if (start < r->known_from)
        start = r->known_from;
    for (*at = 0; *at < r->count && start + busy > r->from[*at]; ++*at)
        start = r->until[*at] > start ? r->until[*at] : start;
    return start;
}

/* Takes the miss register that is free first for so many cycles from `start` or later. Returns when. */
static double take_miss(struct miss_register *registers, unsigned count, double start, double busy)
{
    struct miss_register *first = NULL;
    size_t at, first_at = 0;
    double begins = start;

    for (unsigned i = 0; i < count; i++) {
        const double free = free_time(&registers[i], start, busy, &at);
        if (first && !(free < begins))
            continue;
        first = &registers[i];
        first_at = at;
        begins = free;
        if (!(begins > start))
            break;
    }
    if (!first)
        return start;
    if (first->count == REGISTER_MISSES) {
        if (first_at == 0) /* before all that are known: not kept */
            return begins;
        first->known_from = first->until[0];
        first->count--;
        first_at--;
        memmove(first->from, first->from + 1, first->count * sizeof first->from[0]);
        memmove(first->until, first->until + 1, first->count * sizeof first->until[0]);
    }
    memmove(first->from + first_at + 1, first->from + first_at, (first->count - first_at) * sizeof first->from[0]);
    memmove(first->until + first_at + 1, first->until + first_at, (first->count - first_at) * sizeof first->until[0]);
    first->from[first_at] = begins;
    first->until[first_at] = begins + busy;
    first->count++;
    return begins;
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
        start = a->store ? take_port_cycle(&l->stores, d->stores, start, busy)
                         : take_port_cycle(&l->loads, d->loads, start, busy);
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
        start = take_miss(l->misses, d->misses, start, a->latency);
    double done = start + a->latency + (line != l->line || last != l->line ? d->split : 0);
    if (d->forward > 0 && l->stored[slot].address == a->address && l->stored[slot].at + d->forward > done)
        done = l->stored[slot].at + d->forward;
    return done;
}

/* No port was taken after p->latest, so that most of the ring is as it was. */
static void ports_start(struct ports *p)
{
    const uint64_t used = p->latest < PORT_CYCLES ? p->latest + 1 : PORT_CYCLES;

    memset(p->cycles, 0, used * sizeof p->cycles[0]);
    p->latest = p->full_before = 0;
}

void load_store_start(struct load_store *l)
{
    ports_start(&l->loads);
    ports_start(&l->stores);
    memset(l->misses, 0, sizeof l->misses);
    memset(l->stored, 0, sizeof l->stored);
    l->threads = 0;
    l->instruction = l->line = l->bytes = 0;
}
