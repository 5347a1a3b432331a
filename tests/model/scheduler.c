#include "tests/model/scheduler.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Of s->entered only what this call has written is read. */
void scheduler_start(struct scheduler *s)
{
    for (enum waits which = 0; which < WAITS; which++)
        if (s->came[which])
            memset(s->leaves[which], 0, sizeof s->leaves[which]);
    memset((char *)s + offsetof(struct scheduler, came), 0, sizeof *s - offsetof(struct scheduler, came));
}

/* Of the entries first … end - 1 one that is free at the time `front`, or else the one that becomes free first. */
static unsigned first_free(const double *leaves, unsigned first, unsigned end, double front)
{
    unsigned best = first;

    for (unsigned i = first; i < end && leaves[best] > front; i++)
        best = leaves[i] < leaves[best] ? i : best;
    return best;
}

/* Where entries of the part begin; those of the part behind it are its end. */
static unsigned begin_of(const struct scheduler_design *d, unsigned part)
{
    unsigned begin = 0;

    for (unsigned i = 0; i < part; i++)
        begin += d->single_entries[i];
    return begin;
}

/* The single scheduler that an operation of the class goes to at the time `front`. */
static unsigned single_of(struct scheduler *s, const struct scheduler_design *d, enum waits_class class, double front)
{
    unsigned fitting[SCHEDULER_PARTS], count = 0, best = 0, most = 0;

    for (unsigned i = 0; i < SCHEDULER_PARTS && d->single_entries[i]; i++)
        if (d->single_classes[i] >> class & 1)
            fitting[count++] = i;
    if (d->assigned_early)
        return fitting[s->turns[class]++ % count];
    double soonest = INFINITY;
    for (unsigned i = 0; i < count; i++) {
        const unsigned begin = begin_of(d, fitting[i]), end = begin + d->single_entries[fitting[i]];
        unsigned left = 0;
        double first = INFINITY;
        for (unsigned k = begin; k < end; k++) {
            left += s->leaves[WAITS_GENERAL][k] <= front;
            first = fmin(first, s->leaves[WAITS_GENERAL][k]);
        }
        if (left > most || (!most && first < soonest)) {
            best = fitting[i];
            most = left;
            soonest = first;
        }
    }
    return best;
}

double scheduler_enter(struct scheduler *s, const struct scheduler_design *d, enum waits which, enum waits_class class,
                       double *front)
{
    which = d->single || (d->unified && which == WAITS_VECTOR) ? WAITS_GENERAL : which;
    if (d->entries[which] > SCHEDULER_MAXIMUM || d->queue[which] >= SCHEDULER_MAXIMUM)
        abort();
    s->in = d->entries[which] > 0;
    if (!s->in)
        return *front;
    /*
     * in order: not before the instruction before it; and only when that one has left the queue which makes room there
     */
    const unsigned long came = s->came[which]++;
    const double before = came ? s->entered[which][(came - 1) % SCHEDULER_MAXIMUM] : 0;
    const unsigned long queue = d->queue[which];
    if (queue && came >= queue) {
        const double room = s->entered[which][(came - queue) % SCHEDULER_MAXIMUM];
        *front = room > *front ? room : *front;
    }
    s->which = which;
    const unsigned parts = d->parts ? d->parts : 1, part = (unsigned)(came % parts);
    unsigned begin = d->entries[which] * part / parts, end = d->entries[which] * (part + 1) / parts;
    if (which == WAITS_GENERAL && d->single_entries[0]) {
        const unsigned single = single_of(s, d, class, *front);
        begin = begin_of(d, single);
        end = begin + d->single_entries[single];
    }
    s->entry = first_free(s->leaves[which], begin, end, *front);
    double enters = s->leaves[which][s->entry];
    enters = before > enters ? before : enters;
    enters = *front > enters ? *front : enters;
    s->entered[which][came % SCHEDULER_MAXIMUM] = enters;
    if (!queue)
        *front = enters;
    s->leaves[which][s->entry] = enters;
    return enters;
}

void scheduler_leave(struct scheduler *s, double at)
{
    if (s->in && at > s->leaves[s->which][s->entry])
        s->leaves[s->which][s->entry] = at;
    s->in = false;
}
