#include "tests/model/in_flight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double take(struct in_flight *f, const struct in_flight_design *d, enum held what, unsigned count, double front)
{
    if (d->most[what] > IN_FLIGHT_MAXIMUM)
        abort();
    for (unsigned i = 0; i < count && d->most[what]; i++) {
        const double left = f->left[what][f->taken[what]++ % d->most[what]];
        front = left > front ? left : front;
        f->by_this[what]++;
    }
    return front;
}

/* The first of a group waits until the last of it would have room. */
static double enter(struct in_flight *f, const struct in_flight_design *d, double front)
{
    const unsigned most = d->most[HELD_ENTRY];

    if (f->grouped == 0 && most)
        for (unsigned i = 1; i < d->group; i++)
            front = fmax(front, f->left[HELD_ENTRY][(f->taken[HELD_ENTRY] + i) % most]);
    f->grouped = d->group ? (f->grouped + 1) % d->group : 0;
    return front;
}

void in_flight_start(struct in_flight *f)
{
    memset(f, 0, sizeof *f);
}

double in_flight_rename(struct in_flight *f, const struct in_flight_design *d, const struct decoded *i, double front)
{
    const bool shares = i->kind == KIND_NOP && f->nops && f->nops < d->nops;
    const bool branches = i->kind == KIND_CONDITIONAL || i->kind == KIND_JUMP || i->kind == KIND_INDIRECT;
    const unsigned general = d->flags_are_general && !i->general_written && i->flags_written ? 1 : i->general_written;

    f->nops = i->kind != KIND_NOP ? 0 : shares ? f->nops + 1 : 1;
    front = take(f, d, HELD_ENTRY, !shares, enter(f, d, front));
    f->grouped = i->kind == KIND_FENCE ? 0 : f->grouped;
    front = take(f, d, HELD_GENERAL, general, front);
    front = take(f, d, HELD_FLAGS, i->flags_written, front);
    front = take(f, d, HELD_VECTOR, i->vector_written, front);
    return take(f, d, HELD_BRANCH, branches, front);
}

double in_flight_access(struct in_flight *f, const struct in_flight_design *d, bool store, double front)
{
    return take(f, d, store ? HELD_STORE : HELD_LOAD, 1, front);
}

/* What shares an entry with others leaves with the last of them. */
void in_flight_retire(struct in_flight *f, const struct in_flight_design *d, double at)
{
    if (f->nops > 1 && d->most[HELD_ENTRY])
        f->left[HELD_ENTRY][(f->taken[HELD_ENTRY] - 1) % d->most[HELD_ENTRY]] = at;
    for (enum held what = 0; what < HELDS; what++)
        for (; f->by_this[what]; f->by_this[what]--)
            f->left[what][(f->taken[what] - f->by_this[what]) % d->most[what]] = at;
}
