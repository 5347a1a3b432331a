#include "lib/structure/table_ways.h"

#include <math.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/structure/tolerances_tables.h"

struct search {
    const struct table_ways *s;
    unsigned left; /* samples */
    bool over;     /* the probe is */
    enum reason reason;
    uint32_t list[TABLE_HISTORIES];
};

static void shuffle(uint64_t *random, uint32_t *list, unsigned count)
{
    for (unsigned i = count; i > 1; i--) {
        const unsigned j = (unsigned)random_below(random, i);
        const uint32_t other = list[j];
        list[j] = list[i - 1];
        list[i - 1] = other;
    }
}

/* Of the first `count` histories of the list. */
static enum table_fit fit(struct search *w, unsigned count)
{
    enum table_fit fit = TABLE_PARTLY;

    if (!w->left && !w->reason)
        w->reason = REASON_BUDGET;
    if (w->reason || w->over)
        return fit;
    for (unsigned i = 0; i < TABLE_UNCLEAR && fit == TABLE_PARTLY && w->left && !w->over; i++) {
        w->left--;
        w->over = !w->s->sample(w->s->context, w->list, count, &fit);
    }
    return fit;
}

/* Lists all sums of these combinations, in random order; returns how many there are. */
static unsigned span(struct search *w, const uint32_t *basis, unsigned dimensions)
{
    const unsigned count = 1u << dimensions;

    for (unsigned i = 0; i < count; i++) {
        w->list[i] = 0;
        for (unsigned j = 0; j < dimensions; j++)
            w->list[i] ^= i >> j & 1 ? basis[j] : 0;
    }
    shuffle(w->s->random, w->list, count);
    return count;
}

/*
 * The half of a subspace in which these coordinates have an even sum. Of its combinations only the first one has the bit
 * of the direction, as of those of the subspace.
 */
static void halve(const uint32_t *basis, unsigned dimensions, uint32_t coordinates, uint32_t *half)
{
    const unsigned pivot = 31u - (unsigned)__builtin_clz(coordinates);

    for (unsigned i = 0, n = 0; i < dimensions; i++)
        if (i != pivot)
            half[n++] = basis[i] ^ (coordinates >> i & 1 ? basis[pivot] : 0);
}

/* Keeps halves that overflow until there are none. */
static void descend(struct search *w, uint32_t *basis, unsigned *dimensions)
{
    static uint32_t order[TABLE_HISTORIES];
    bool smaller = true;

    while (smaller && *dimensions > 1 && !w->reason && !w->over) {
        uint32_t half[TABLE_BITS_MOST];
        const unsigned count = (1u << *dimensions) - 2; /* all but none, and but that in which all go one way */
        for (unsigned i = 0; i < count; i++)
            order[i] = i + 2;
        shuffle(w->s->random, order, count);
        smaller = false;
        for (unsigned i = 0; i < count && !smaller && !w->reason && !w->over; i++) {
            halve(basis, *dimensions, order[i], half);
            const enum table_fit f = fit(w, span(w, half, *dimensions - 1));
            smaller = f == TABLE_OVERFLOWS;
            if (f == TABLE_PARTLY && !w->reason)
                w->reason = REASON_AMBIGUOUS;
        }
        if (smaller) {
            --*dimensions;
            memcpy(basis, half, *dimensions * sizeof *basis);
        }
    }
}

/* Puts one history of either direction after the other, as far as there are both. */
static void alternate(uint32_t *list, unsigned count)
{
    for (unsigned i = 0; i + 1 < count; i++)
        for (unsigned j = i; (list[i] & TABLE_DIRECTION) != i % 2 && j < count; j++)
            if ((list[j] & TABLE_DIRECTION) == i % 2) {
                const uint32_t other = list[i];
                list[i] = list[j];
                list[j] = other;
            }
}

/*
 * Whether the first `count` histories of the list are predicted as soon as any one of this direction is left out. If
 * those of this direction are the ones that need entries, that shows that all of them share a set.
 */
static bool each_matters(struct search *w, unsigned count, uint32_t direction)
{
    static uint32_t all[TABLE_HISTORIES];
    bool fits = true;

    memcpy(all, w->list, count * sizeof *all);
    for (unsigned out = 0; out < count && fits; out++) {
        if ((all[out] & TABLE_DIRECTION) != direction)
            continue;
        for (unsigned i = 0, n = 0; i < count; i++)
            if (i != out)
                w->list[n++] = all[i];
        fits = fit(w, count - 1) == TABLE_FITS;
    }
    memcpy(w->list, all, count * sizeof *all);
    return fits;
}

/* How many histories of each direction are predicted together, of those that are left. */
static unsigned count_ways(struct search *w, const uint32_t *basis, unsigned dimensions)
{
    const unsigned most = span(w, basis, dimensions) / 2;
    enum table_fit f = TABLE_FITS;
    unsigned count = most / 2;

    alternate(w->list, 2 * most);
    for (; f == TABLE_FITS && count < most; count += f == TABLE_FITS)
        f = fit(w, 2 * (count + 1));
    const unsigned tried = 2 * (count + 1);
    /* one way looks like two histories of either direction that the table cannot tell apart */
    if (!w->reason && (f != TABLE_OVERFLOWS || count < 2 || !(each_matters(w, tried, 0) || each_matters(w, tried, 1))))
        w->reason = REASON_AMBIGUOUS;
    return count;
}

bool table_ways(const struct table_ways *s, double *ways, enum reason *reason, struct table_overflow *set)
{
    static struct search w;
    uint32_t *const basis = set->basis;
    unsigned dimensions = 0, count = 0;
    enum table_fit f = TABLE_FITS;

    w = (struct search){.s = s, .left = s->samples};
    while (dimensions < s->bits && f == TABLE_FITS) {
        basis[dimensions] = 1u << dimensions;
        f = fit(&w, span(&w, basis, ++dimensions));
    }
    if (!w.reason && f != TABLE_OVERFLOWS)
        w.reason = f == TABLE_FITS ? REASON_NOT_LEFT : REASON_AMBIGUOUS;
    if (!w.reason && dimensions == 1)
        w.reason = REASON_HISTORIES_ALIKE;
    set->used = dimensions;
    descend(&w, basis, &dimensions);
    if (!w.reason && !w.over)
        count = count_ways(&w, basis, dimensions);
    set->dimensions = dimensions;
    set->ways = count;
    *ways = w.reason ? (double)NAN : count;
    *reason = w.reason;
    return !w.over;
}

bool table_bits_find(const struct table_ways *s, unsigned bearers, struct table_bits *out)
{
    struct table_bits found = {.count = 0}; /* the sample may place bits by *out */

    out->count = 0;
    for (unsigned i = 0; i < bearers; i++) {
        const uint32_t history = UINT32_C(1) << i, list[2] = {0, history | (i ? TABLE_AGAINST : 0)};
        enum table_fit fit;
        if (!s->sample(s->context, list, 2, &fit))
            return false;
        if (fit == TABLE_FITS)
            found.bearers[found.count++] = i;
    }
    *out = found;
    return true;
}

uint32_t table_bits_place(const struct table_bits *b, uint32_t history)
{
    uint32_t placed = history & (TABLE_OTHER | TABLE_AGAINST);

    for (unsigned i = 0; i < b->count; i++)
        placed |= (history >> i & 1) << b->bearers[i];
    return placed;
}
