#include "lib/structure/table_sample.h"

#include <math.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/plan/facts.h"
#include "lib/structure/history_end.h"
#include "lib/structure/table_sets.h"
#include "lib/structure/tolerances_tables.h"

enum {
    READINGS = 5,  /* of a sample; their median counts */
    LOST = 20,     /* readings of a sample that may be disturbed */
    OCCURS = 12,   /* times that each history occurs before a reading counts: tables learn at each misprediction */
    SETTLED = 500, /* iterations before a reading counts, besides */
    WARM_AT_ONCE = 2000, /* iterations without a reading in one window, so that few are disturbed */
    BEARER_BRANCHES = 2, /* in the history for each bearer, at most */
    HIGHEST_BIT = 19     /* of a branch's address that is tried; of the published ones at most 18 enter */
};

/* Highest address bits of a block, in the order in which they are tried. */
static const unsigned separating[] = {30, 33, 24};

struct table_lengths table_lengths_known(const struct probe *p)
{
    const double longest = facts_number(&p->run->facts, "frontend.cond.history", "table=1", 0);
    const double alone = facts_number(&p->run->facts, "frontend.cond.tables", "", 0) == 1 ? 0 : NAN;
    const double second = facts_number(&p->run->facts, "frontend.cond.history", "table=2", alone);

    if (longest > second) /* not where either is not known */
        return (struct table_lengths){(unsigned)longest, (unsigned)second};
    return (struct table_lengths){0, 0};
}

bool table_sample_start(struct probe *p, struct table_sample *t)
{
    struct area state;

    if (!probe_map(p, &state, (1 + TABLE_HISTORIES) * sizeof(uint64_t), 0))
        return false;
    *t = (struct table_sample){.p = p,
                               .list = (uint64_t *)(void *)state.write + 1,
                               .set = {.state = state.at, .list = state.at + sizeof(uint64_t)}};
    return true;
}

unsigned table_sample_room(struct table_lengths l)
{
    return (l.longest - l.second) / BEARER_BRANCHES;
}

void table_sample_draw(struct table_sample *t, struct table_lengths l, unsigned bearers)
{
    const unsigned left = l.longest - l.second - BEARER_BRANCHES * bearers;

    t->bits.count = 0;
    t->set.layout = random_next(&t->p->random);
    t->set.bearers = bearers;
    t->set.dummies = l.second + (unsigned)random_below(&t->p->random, left + 1);
    t->set.reset = l.longest - t->set.dummies;
}

/* Cycles of an iteration; NaN where too many readings are disturbed. False: the probe is over. */
static bool measure(struct table_sample *w, enum history_probe goes, double *cycles)
{
    /* of the branch that goes by another bit nothing can be learned */
    const double settled = goes == HISTORY_OTHER_BIT ? 0 : SETTLED + (double)OCCURS * w->set.entries;
    double readings[READINGS], done = 0;
    unsigned count = 0;
    struct kernel k;

    *cycles = NAN;
    if (!table_set_build(w->p, &w->set, goes, &k))
        return false;
    for (unsigned lost = 0; count < READINGS && lost < LOST;) {
        const bool counts = done >= settled;
        double reading;
        k.warm_iterations = probe_smoke(w->p, 1, fmax(1, fmin(settled - done, WARM_AT_ONCE)));
        if (!probe_quick_sample(w->p, &k, &w->iterations[goes], &reading))
            return false;
        done += probe_smoke(w->p, settled, k.warm_iterations + (double)w->iterations[goes]);
        lost += counts && isnan(reading) ? 1 : 0;
        if (counts && !isnan(reading))
            readings[count++] = reading;
    }
    if (count == READINGS)
        *cycles = median(readings, READINGS);
    return true;
}

bool table_sample_take(void *context, const uint32_t *histories, unsigned count, enum table_fit *fit)
{
    struct table_sample *w = context;
    double cycles[HISTORY_PROBES];

    for (unsigned i = 0; i < count; i++)
        w->list[i] = ((w->bits.count ? table_bits_place(&w->bits, histories[i]) : histories[i]) &
                      ~(TABLE_OTHER | TABLE_AGAINST)) |
                     (!(histories[i] & TABLE_DIRECTION) != !(histories[i] & TABLE_AGAINST) ? TABLE_TAKEN : 0) |
                     (histories[i] & TABLE_OTHER ? TABLE_SECOND_PLACE : 0);
    w->set.entries = count;
    for (enum history_probe goes = 0; goes < HISTORY_PROBES; goes++)
        if (!measure(w, goes, &cycles[goes]))
            return false;
    const double zero = cycles[HISTORY_CONSTANT], half = cycles[HISTORY_OTHER_BIT] - zero;
    const double missed = half > HISTORY_HALF_LEAST ? (cycles[HISTORY_SAME_BIT] - zero) / half : (double)NAN;
    w->samples++;
    w->unmeasured += isnan(missed) ? 1 : 0;
    *fit = missed < TABLE_FITS_BELOW ? TABLE_FITS : missed > TABLE_OVERFLOWS_ABOVE ? TABLE_OVERFLOWS : TABLE_PARTLY;
    return true;
}

unsigned table_address_end(const struct probe *p)
{
    const double inputs = facts_number(&p->run->facts, "frontend.history.inputs", "address=target", NAN);

    return inputs <= BRANCHES_PAGE_BITS ? HIGHEST_BIT + 1 : BRANCHES_PAGE_BITS;
}

const char *table_room_map(const struct probe *p, struct code_block *room, unsigned end,
                           bool (*separates)(void *context, bool *good), void *context, enum reason *reason)
{
    const char *why = NULL;

    for (size_t i = probe_is_smoke(p) ? 2 : 0; i < sizeof separating / sizeof *separating; i++) {
        bool good = false;
        why = table_branches_map(room, separating[i], end);
        if (!why && (!separates(context, &good) || good || probe_is_smoke(p)))
            return NULL;
        code_block_unmap(room);
    }
    *reason = why ? REASON_PLATFORM : REASON_NO_FREE_BIT;
    return why;
}
