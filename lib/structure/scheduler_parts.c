#include "lib/structure/scheduler_parts.h"

#include <math.h>
#include <stdlib.h>

#include "lib/structure/sharing.h"
#include "lib/structure/tolerances_inflight.h"

/* By so much two counts may differ that are the same, … */
static double tolerance(double count)
{
    return ALIKE_COUNTS * count + ALIKE_COUNTS_MORE;
}

/* … and by so much a count may be wrong. */
static double uncertainty(double count)
{
    return fmax(ALIKE_COUNTS * count, 1);
}

double parts_head(const struct parts_counts *c, size_t a, size_t b)
{
    const double head = floor((c->alone[a] - c->queue) * PARTS_HEAD);

    return head > PARTS_SEEN * tolerance(c->alone[b]) ? head : 0;
}

enum parts_relation parts_relation_of(const struct parts_counts *c, size_t a, size_t b)
{
    const double head = c->head[a][b], fewer = c->alone[b] - c->behind[a][b], off = tolerance(c->alone[b]);

    if (isnan(fewer) || !(head > PARTS_SEEN * off))
        return PARTS_UNKNOWN;
    return fewer <= off          ? PARTS_APART
           : fewer < head - off  ? PARTS_PARTLY
           : fewer <= head + off ? PARTS_WITHIN
                                 : PARTS_HELD_UP;
}

/* ---- What is within what -------------------------------------------------------------------------- */

size_t parts_order(const struct parts_counts *c, size_t order[PARTS_CLASSES])
{
    size_t n = 0;

    for (size_t i = 0; i < c->classes; i++) {
        size_t at = n;
        if (isnan(c->alone[i]))
            continue;
        for (; at > 0 && c->alone[order[at - 1]] > c->alone[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
        n++;
    }
    return n;
}

bool parts_are_same(const struct parts_counts *c, size_t a, size_t b)
{
    return c->alone[b] - c->alone[a] <= uncertainty(c->alone[a]) + uncertainty(c->alone[b]) &&
           parts_relation_of(c, a, b) == PARTS_WITHIN;
}

/* As many as can wait of any class that waits where class a does: what disturbs a count makes it smaller. */
static double most_of(const struct parts_counts *c, const struct part parts[], size_t a)
{
    double most = c->alone[a];

    for (size_t i = 0; i < c->classes; i++)
        most = parts[i].same == a ? fmax(most, c->alone[i]) : most;
    return most;
}

/* Whether class a is within one of the classes order[from] to order[end - 1] that is itself within b. */
static bool is_inside_another(const struct parts_counts *c, const struct part parts[], const size_t order[],
                              size_t from, size_t end, size_t a, size_t b)
{
    for (size_t i = from; i < end; i++)
        if (parts[order[i]].same == order[i] && parts_relation_of(c, a, order[i]) == PARTS_WITHIN &&
            parts_relation_of(c, order[i], b) == PARTS_WITHIN)
            return true;
    return false;
}

/* Why differences are not the entries of class b, by its relation to one of the smaller classes order[0] to order[end - 1]. */
static enum reason why_not(const struct parts_counts *c, const struct part parts[], const size_t order[], size_t end,
                           size_t b)
{
    for (size_t i = 0; i < end; i++) {
        const enum parts_relation r = parts[order[i]].same == order[i] ? parts_relation_of(c, order[i], b)
                                                                       : PARTS_APART;
        if (r == PARTS_UNKNOWN)
            return REASON_DIFFERENCE_TOO_SMALL;
        if (r == PARTS_PARTLY)
            return REASON_AMBIGUOUS;
    }
    return REASON_NONE;
}

/* Sets the part of the class order[end], the first of those that wait in the same schedulers. */
static void decide(const struct parts_counts *c, struct part parts[], const size_t order[], size_t end)
{
    const size_t b = order[end];
    const double most = most_of(c, parts, b);
    struct part *out = &parts[b];
    size_t inside[PARTS_CLASSES], count = 0;
    double entries = most - c->queue, off = uncertainty(most) + c->queue_off;

    out->reason = why_not(c, parts, order, end, b);
    for (size_t i = 0; i < end && !out->reason; i++) {
        const size_t a = order[i];
        if (parts[a].same != a || parts_relation_of(c, a, b) != PARTS_WITHIN ||
            is_inside_another(c, parts, order, i + 1, end, a, b))
            continue;
        for (size_t k = 0; k < count; k++)
            if (parts_relation_of(c, inside[k], a) != PARTS_APART)
                out->reason = REASON_AMBIGUOUS;
        inside[count++] = a;
        entries -= most_of(c, parts, a) - c->queue;
        off += uncertainty(most_of(c, parts, a)) + c->queue_off;
    }
    if (!out->reason && entries <= off)
        out->reason = REASON_DIFFERENCE_TOO_SMALL;
    if (out->reason)
        return;
    out->entries = entries;
    out->low = entries - off;
    out->high = entries + off;
}

static bool any_held_up(const struct parts_counts *c, const size_t order[], size_t n)
{
    for (size_t b = 0; b < n; b++)
        for (size_t a = 0; a < b; a++)
            if (parts_relation_of(c, order[a], order[b]) == PARTS_HELD_UP)
                return true;
    return false;
}

void parts_decide(const struct parts_counts *c, struct part parts[PARTS_CLASSES])
{
    size_t order[PARTS_CLASSES];
    const size_t n = parts_order(c, order);

    for (size_t i = 0; i < c->classes; i++)
        parts[i] = (struct part){(double)NAN, (double)NAN, (double)NAN, REASON_NO_KNEE, i};
    for (size_t b = 0; b < n; b++)
        for (size_t a = 0; a < b && parts[order[b]].same == order[b]; a++)
            if (parts[order[a]].same == order[a] && parts_are_same(c, order[a], order[b]))
                parts[order[b]].same = order[a];
    const bool held_up = any_held_up(c, order, n);
    for (size_t i = 0; i < n; i++)
        if (held_up)
            parts[order[i]].reason = REASON_HELD_UP;
        else if (parts[order[i]].same == order[i])
            decide(c, parts, order, i);
}

double parts_spread(const struct parts_counts *c, size_t a, size_t b)
{
    const double small = c->alone[a], large = c->alone[b], left = small - c->head[a][b], then = c->behind[a][b];
    const double off = uncertainty(small);

    if (parts_relation_of(c, a, b) != PARTS_HELD_UP || !(left > off))
        return (double)NAN;
    const double low = fmax((large - uncertainty(large)) / (small + off), (then - uncertainty(then)) / (left + off)),
                 high = fmin((large + uncertainty(large)) / (small - off), (then + uncertainty(then)) / (left - off)),
                 whole = ceil(low);
    return whole <= high && whole + 1 > high ? whole : (double)NAN;
}
