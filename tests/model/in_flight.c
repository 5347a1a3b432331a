#include "tests/model/in_flight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many entries there are. Where two results share a general register, these are counted in halves. */
static unsigned places(const struct in_flight_design *d, enum resource what)
{
    const bool is_register = what == RESOURCE_GENERAL || what == RESOURCE_FLAGS || what == RESOURCE_VECTOR;
    const unsigned all = d->most[what] - (is_register && d->most[what] > d->others ? d->others : 0);
    const unsigned most = d->left[what] > 0 ? (unsigned)(all * d->left[what]) : all;

    return what == RESOURCE_GENERAL && d->packs ? 2 * most : most;
}

static double take(struct in_flight *f, enum resource what, unsigned count, double front)
{
    const unsigned places = f->places[what];

    if (!places)
        return front;
    for (unsigned i = 0; i < count; i++) {
        const double left = f->left[what][f->next[what]++];
        front = left > front ? left : front;
        f->next[what] = f->next[what] == places ? 0 : f->next[what];
        f->by_this[what]++;
        f->by_this_all++;
    }
    return front;
}

/* The entry that was taken that many entries ago. */
static double *taken_before(struct in_flight *f, enum resource what, unsigned ago)
{
    unsigned at = f->next[what];

    while (at < ago)
        at += f->places[what];
    return &f->left[what][at - ago];
}

/* The first instruction of a group waits until there is room for the last one. */
static double enter(struct in_flight *f, const struct in_flight_design *d, double front)
{
    const unsigned most = f->places[RESOURCE_ENTRY];

    if (f->grouped == 0 && most)
        for (unsigned i = 1; i < d->group; i++)
            front = fmax(front, f->left[RESOURCE_ENTRY][(f->next[RESOURCE_ENTRY] + i) % most]);
    if (d->group)
        f->grouped = f->grouped + 1 == d->group ? 0 : f->grouped + 1;
    return front;
}

void in_flight_start(struct in_flight *f, const struct in_flight_design *d)
{
    memset((char *)f + sizeof f->left, 0, sizeof *f - sizeof f->left);
    for (enum resource what = 0; what < RESOURCES; what++) {
        f->places[what] = places(d, what);
        f->limited |= f->places[what] > 0;
        if (f->places[what] > IN_FLIGHT_MAXIMUM)
            abort();
        memset(f->left[what], 0, f->places[what] * sizeof f->left[what][0]);
    }
}

enum { SHORT_NOP = 4 }; /* bytes: a longer one has a displacement of four, as a branch may have */

/* Whether the last entry takes in this instruction, where entries have two. */
static bool pair(struct in_flight *f, const struct in_flight_design *d, const struct decoded *i)
{
    const bool writes = i->general_written > 0,
               displaced = i->kind == KIND_CONDITIONAL || (i->kind == KIND_NOP && i->size > SHORT_NOP),
               nop = i->kind == KIND_NOP && !displaced, more = nop && f->nops && f->nops < d->nops,
               pairs = !more && f->together && !f->paired && i->kind != KIND_FENCE && !(writes && f->writes) &&
                       !(displaced && f->displaced);

    f->nops = nop ? more ? f->nops + 1 : 1 : 0;
    f->paired = pairs || (more && f->paired);
    f->writes = writes;
    f->displaced = displaced;
    f->together = i->kind != KIND_FENCE;
    return more || pairs;
}

/* Whether the last entry takes in this instruction. */
static bool share(struct in_flight *f, const struct in_flight_design *d, const struct decoded *i, bool branches)
{
    if (d->pairs)
        return pair(f, d, i);
    const bool nops = i->kind == KIND_NOP && f->nops && f->nops < d->nops;
    const bool others = f->together && f->together < d->together && !(i->accesses && f->accesses) &&
                        !(branches && f->branches) && i->kind != KIND_FENCE && !f->closed &&
                        !(i->accesses && d->access_at == ENTRY_FIRST) && !(branches && d->branch_at == ENTRY_FIRST);

    f->nops = i->kind != KIND_NOP ? 0 : nops ? f->nops + 1 : 1;
    f->together = i->kind == KIND_FENCE ? 0 : others ? f->together + 1 : 1;
    f->accesses = i->accesses || (others && f->accesses);
    f->branches = branches || (others && f->branches);
    f->closed = (i->accesses && d->access_at == ENTRY_LAST) || (branches && d->branch_at == ENTRY_LAST);
    return nops || others;
}

double in_flight_rename(struct in_flight *f, const struct in_flight_design *d, const struct decoded *i, double front)
{
    const bool branches = i->kind == KIND_CONDITIONAL || i->kind == KIND_JUMP || i->kind == KIND_INDIRECT;
    const unsigned flags = d->flags_are_general && !i->general_written && i->flags_written ? 1 : 0;
    const unsigned apart = d->most[RESOURCE_HALF] ? i->halves_written : 0;
    const unsigned whole = i->general_written + flags - i->halves_written, halves = i->halves_written - apart;

    f->shares = share(f, d, i, branches);
    front = take(f, RESOURCE_ENTRY, !f->shares, enter(f, d, front));
    f->grouped = i->kind == KIND_FENCE ? 0 : f->grouped;
    front = take(f, RESOURCE_RENAME,
                 i->general_written + i->vector_written ? i->general_written + i->vector_written : i->flags_written,
                 front);
    front = take(f, RESOURCE_HALF, apart, front);
    front = take(f, RESOURCE_GENERAL, d->packs ? 2 * whole + halves : whole + halves, front);
    front = take(f, RESOURCE_FLAGS, i->flags_written, front);
    front = take(f, RESOURCE_VECTOR, i->vector_written, front);
    return take(f, RESOURCE_BRANCH, branches, front);
}

/* The emulator reports the halves of a vector one after the other: together they take one entry. */
double in_flight_access(struct in_flight *f, bool store, double front)
{
    const enum resource what = store ? RESOURCE_STORE : RESOURCE_LOAD;

    return take(f, what, !f->by_this[what], front);
}

/* An entry of several instructions is given back when the last one retires. */
void in_flight_retire(struct in_flight *f, const struct in_flight_design *d, double done, double at)
{
    if (f->shares && f->places[RESOURCE_ENTRY])
        *taken_before(f, RESOURCE_ENTRY, 1) = at;
    for (enum resource what = 0; f->by_this_all; what++)
        for (; f->by_this[what]; f->by_this[what]--, f->by_this_all--)
            *taken_before(f, what, f->by_this[what]) = what == RESOURCE_LOAD && d->loads_leave ? done : at;
}
