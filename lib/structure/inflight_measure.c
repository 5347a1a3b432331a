#include "lib/structure/inflight_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/probe/probe.h"
#include "lib/structure/inflight_search.h"
#include "lib/structure/tolerances_inflight.h"

/* Searches with NOPs in front where experiments disagree: as many as a group of six has other positions. */
enum { SHIFTED = 5 };

/*
 * Chains that themselves occupy much of the structure, and free it step by step, say nothing about it. Flags may be
 * kept in general registers.
 */
static bool occupies_much(enum long_op kind, enum filler_class class)
{
    return kind == LONG_OP_ARITHMETIC
               ? class == FILLER_VECTOR
               : kind == LONG_OP_LOADS && (class == FILLER_GENERAL || class == FILLER_FLAGS || class == FILLER_LOAD);
}

bool inflight_is_decided(const struct inflight_result *a, size_t i)
{
    return !a->sweeps[i].search.verdict.reason && a->sweeps[i].search.verdict.count;
}

bool inflight_nothing_decided(const struct inflight_result *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (inflight_is_decided(a, i))
            return false;
    return true;
}

/* ---- One kind of operation ------------------------------------------------------------------------ */

/* Adds the experiment to the result; nothing where the core lacks what it needs. */
static bool add_experiment(struct probe *p, struct inflight_result *a, const struct inflight_experiment *plan)
{
    const struct inflight_request *q = &a->request;
    struct inflight_experiment *e = &a->runs[a->count];
    struct sweep *s = &a->sweeps[a->count];

    *e = *plan;
    e->inflight = q->inflight;
    if (!q->fillers[0] || q->inflight->unusable[e->first] || q->inflight->unusable[e->second] ||
        !inflight_choose_fillers(e, q->fillers))
        return true;
    *s = inflight_sweep(p, e, q->name, q->to, q->limit);
    if (!inflight_search(p, e, s) || (q->control && !q->control(p, q->context, e, &s->search.verdict))) {
        sweep_free(s);
        return false;
    }
    a->experiments[a->count++] = (struct experiment){.name = e->name,
                                                     .confounder = s->confounder,
                                                     .verdict = &s->search.verdict,
                                                     .holds = inflight_holds(e, q->class),
                                                     .reckoned = e->first != LONG_OP_MISS};
    return true;
}

static bool add_all_experiments(struct probe *p, struct inflight_result *a)
{
    const struct inflight_request *q = &a->request;

    if (q->only)
        return add_experiment(p, a, q->only);
    for (enum long_op kind = 0; kind < LONG_OPS; kind++) {
        const struct inflight_experiment plan = {.first = kind, .second = kind, .clear_vectors = q->clear_vectors};
        if (kind == LONG_OP_LOADS && probe_is_simulated(p)) /* its rings take thousands of loads before each reading */
            continue;
        if (!occupies_much(kind, q->class) && !add_experiment(p, a, &plan))
            return false;
        if (q->one_is_enough && probe_is_simulated(p) && !isnan(inflight_fitted(a, q->class)))
            break;
    }
    return true;
}

/* ---- Where they disagree -------------------------------------------------------------------------- */

static bool fits_more(const struct verdict *one, const struct verdict *other)
{
    return !one->reason && one->count &&
           (other->reason || !other->count || one->knees[0].value > other->knees[0].value);
}

/*
 * Searches once more with so many NOPs before the first operation, and keeps what fits more fillers, or decides where
 * nothing was decided. Instructions that enter together need room for all of them, so the knee depends on what shares a
 * group with the fillers. And a sibling thread that is awake for a while has entries and registers of its own.
 */
static bool search_shifted(struct probe *p, struct inflight_result *a, size_t i, unsigned nops)
{
    struct inflight_experiment *e = &a->runs[i];
    const struct inflight_experiment old = *e;
    const struct search *range = &a->sweeps[i].search;
    char what[sizeof e->name];

    snprintf(what, sizeof what, "%s +%u", a->request.name, nops);
    struct sweep s = inflight_sweep(p, e, what, range->to, range->limit);
    e->pad_before = nops;
    const bool good = inflight_search(p, e, &s);
    if (good && fits_more(&s.search.verdict, &a->sweeps[i].search.verdict)) {
        sweep_free(&a->sweeps[i]);
        a->sweeps[i] = s;
    } else {
        *e = old;
        sweep_free(&s);
    }
    return good;
}

/* Something is decided, but not by all kinds of operations alike: one of them stands alone. */
static bool do_experiments_disagree(const struct inflight_result *a)
{
    return !inflight_nothing_decided(a) && grade_capacity(a->experiments, a->count, 1).agreeing < a->count;
}

bool inflight_measure(struct probe *p, const struct inflight_request *q, struct inflight_result *out)
{
    *out = (struct inflight_result){.request = *q, .confirmed = 1};
    if (!add_all_experiments(p, out))
        return false;
    /* where the reorder buffer is counted, groups are measured by themselves (inflight_group.h) */
    const bool alone = q->only || q->class == FILLER_NOTHING;
    const unsigned shifts = alone ? 0 : (unsigned)probe_smoke(p, 0, probe_simulated(p, 0, SHIFTED));
    for (unsigned nops = 1; nops <= shifts && do_experiments_disagree(out); nops++)
        for (size_t i = 0; i < out->count; i++) {
            if (!search_shifted(p, out, i, nops))
                return false;
            out->experiments[i].holds = inflight_holds(&out->runs[i], q->class);
        }
    return true;
}

/* ---- What results say ----------------------------------------------------------------------------- */

bool inflight_same(double one, double other)
{
    return fabs(one - other) <= fmax(SAME_LIMIT_COUNT, SAME_LIMIT * other);
}

double inflight_fitted(const struct inflight_result *a, enum filler_class class)
{
    struct experiment e[LONG_OPS];

    for (size_t i = 0; i < a->count; i++) {
        e[i] = a->experiments[i];
        e[i].holds = inflight_holds(&a->runs[i], class);
    }
    const struct graded r = grade_capacity(e, a->count, 1);
    return r.grade == 'U' ? (double)NAN : r.value;
}

double inflight_total(const struct inflight_result *a, enum filler_class class)
{
    const double total = inflight_fitted(a, FILLER_NOTHING);

    return isnan(total) ? inflight_fitted(a, class) : total;
}

/* ---- Copies --------------------------------------------------------------------------------------- */

void inflight_bind(struct inflight_result *a)
{
    for (size_t i = 0; i < a->count; i++) {
        a->sweeps[i].name = a->experiments[i].name = a->runs[i].name;
        a->sweeps[i].context = &a->runs[i];
        a->experiments[i].verdict = &a->sweeps[i].search.verdict;
    }
}

void inflight_free(struct inflight_result *a)
{
    if (a->other)
        inflight_free(a->other);
    free(a->other);
    a->other = NULL;
    sweeps_free(a->sweeps, a->count);
    a->count = 0;
}
