#include "lib/structure/waiting.h"

#include <math.h>
#include <stdio.h>

#include "lib/base/reason.h"
#include "lib/probe/probe.h"
#include "lib/structure/inflight_search.h"
#include "lib/structure/tolerances_inflight.h"

/* Fillers: range of a curve, and how far it may grow. */
enum { TO = 256, LIMIT = 640 };

/* ---- The control ---------------------------------------------------------------------------------- */

/* The reason that names c->limit if its known size is what `fits` fillers take; else REASON_MASKED_BY_COMMON_LIMIT. */
static enum reason masking_structure(const struct probe *p, const struct waiting_class *c, double fits)
{
    const double limit = facts_number(&p->run->facts, c->limit.name, c->limit.variants, (double)NAN);

    return fabs(fits * c->limit.per_unit - limit) <= WAITING_STEP ? c->masked : REASON_MASKED_BY_COMMON_LIMIT;
}

/* Sets a reason unless behind the knee operations that do not wait are faster by more than half of the rise. */
static bool check_ready(struct probe *p, const void *context, const struct inflight_experiment *e, struct verdict *v)
{
    const struct waiting_class *c = context;
    struct inflight_experiment ready = *e;
    double waiting, without_waiting;

    if (v->reason || v->count == 0)
        return true;
    const struct knee *k = &v->knees[0];
    const double fillers = fmax(k->high, k->end) + 1;
    ready.ready = true;
    if (!inflight_cycles(p, e, fillers, &waiting) || !inflight_cycles(p, &ready, fillers, &without_waiting))
        return false;
    if (!(waiting - without_waiting > (k->after - k->before) / 2))
        v->reason = masking_structure(p, c, k->value);
    return true;
}

/* ---- Experiments ---------------------------------------------------------------------------------- */

static bool measure_one(struct probe *p, const struct inflight *l, const struct waiting_class *c,
                        const struct waiting_experiment *x, struct waiting *w)
{
    struct inflight_request q = {.inflight = l,
                                 .fillers = {c->filler},
                                 .class = FILLER_NOTHING,
                                 .to = TO,
                                 .limit = LIMIT,
                                 .only = &w->plan,
                                 .control = check_ready,
                                 .context = c};

    w->plan = (struct inflight_experiment){
        .first = x->first, .second = x->second, .extra_loads = x->extra_loads, .waits = true, .gate = x->gate};
    snprintf(q.name, sizeof q.name, "%s%s", c->name, x->behind ? ", behind" : x->extra_loads ? ", more misses" : "");
    return inflight_measure(p, &q, &w->result);
}

/* The verdict of its curve; NULL: there is none. */
static const struct verdict *verdict_of(const struct waiting *w)
{
    return w->result.count ? w->result.experiments[0].verdict : NULL;
}

/* Whether the class has that experiment. */
static bool has_experiment(const struct waiting_class *c, const struct waiting_experiment *x)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->experiments[i].first == x->first && c->experiments[i].second == x->second &&
            c->experiments[i].gate == x->gate)
            return true;
    return false;
}

/*
 * Drops the i-th result where the chain of loads occupies the same entries, and measures misses, unless another one
 * does.
 */
static bool replace_if_occupied(struct probe *p, const struct inflight *l, const struct waiting_class *c, size_t i,
                                struct waiting *w, bool *occupied)
{
    const struct verdict *v = verdict_of(w);
    struct waiting_experiment misses = c->experiments[i];

    if (!v || misses.first != LONG_OP_LOADS || v->count == 0 || !v->knees[0].ramp || l->unusable[LONG_OP_MISS])
        return true;
    *occupied = true;
    inflight_free(&w->result);
    misses.first = misses.second = LONG_OP_MISS;
    return has_experiment(c, &misses) || measure_one(p, l, c, &misses, w);
}

bool waiting_measure(struct probe *p, const struct inflight *l, const struct waiting_class *c,
                     struct waiting w[WAITING_EXPERIMENTS], bool *occupied)
{
    for (size_t i = 0; i < c->count; i++)
        if (!measure_one(p, l, c, &c->experiments[i], &w[i]) || !replace_if_occupied(p, l, c, i, &w[i], occupied))
            return false;
    return true;
}

/* ---- What they say -------------------------------------------------------------------------------- */

/* How many fit by that experiment; NaN: not decided. */
static double fitted(const struct waiting *w)
{
    const struct verdict *v = verdict_of(w);

    return v && !v->reason && v->count ? v->knees[0].value : (double)NAN;
}

enum reason waiting_why_none(const struct inflight *l, const struct waiting_class *c, bool behind)
{
    enum reason why = REASON_NO_OVERLAP;

    for (size_t i = 0; i < c->count; i++) {
        const enum reason first = l->unusable[c->experiments[i].first], second = l->unusable[c->experiments[i].second];
        if (c->experiments[i].behind == behind && (first || second))
            why = first ? first : second;
    }
    return why;
}

double waiting_most(const struct waiting_class *c, const struct waiting w[WAITING_EXPERIMENTS])
{
    double most = (double)NAN;

    for (size_t i = 0; i < c->count; i++)
        if (verdict_of(&w[i]) && verdict_of(&w[i])->count)
            most = fmax(most, verdict_of(&w[i])->knees[0].value);
    return most;
}

double waiting_held_by_misses(const struct waiting_class *c, const struct waiting w[WAITING_EXPERIMENTS])
{
    const size_t last = c->count - 1;
    const unsigned extra = c->experiments[last].extra_loads;

    if (!extra)
        return 0;
    const double fewer = fitted(&w[0]) - fitted(&w[last]);
    return fabs(fewer) <= 1 ? 0 : fabs(fewer - extra) <= 1 ? 2 : (double)NAN;
}
