#include "lib/structure/inflight_search.h"

#include <math.h>
#include <stdio.h>

#include "lib/base/reason.h"
#include "lib/probe/probe.h"
#include "lib/structure/inflight_start.h"
#include "lib/structure/tolerances_inflight.h"

enum {
    LEAST = 4,              /* fillers that still fit behind half as many others */
    SIMULATED_TO = 256,     /* of the coarse grid on simulated cores, where each filler that is emitted counts, … */
    SIMULATED_LIMIT = 1280, /* … and how far it may grow */
    NARROWED = 4            /* searches of inflight_count at most */
};

/* A number that surely does not fit where `fits` do. */
static double beyond(double fits)
{
    return floor(fits * BEYOND_FITTING) + 2 * INFLIGHT_FEW;
}

/* ---- By the knee of a curve ----------------------------------------------------------------------- */

/*
 * Latencies of misses change while a curve is taken: beside each number of fillers a short sequence is measured, which
 * always fits, and both are scaled as if that one took what it did when the probe began.
 */
static bool measure_beside_short(struct probe *p, double fillers, void *context, struct point *out)
{
    const struct inflight_experiment *e = context;
    struct kernel few = {.units = 1}, k = {.units = 1};
    struct point beside;

    if (!inflight_build(p, INFLIGHT_FEW, context, &few) || !probe_measure(p, &few, &beside) ||
        !inflight_build(p, fillers, context, &k) || !probe_measure(p, &k, out))
        return false;
    const double scale = e->inflight->independent[LONG_OP_MISS] / beside.q20;
    out->q20 *= scale;
    out->median *= scale;
    return true;
}

struct sweep inflight_sweep(struct probe *p, struct inflight_experiment *e, const char *what, double to, double limit)
{
    static const char *const confounder[LONG_OPS] = {"loads in flight", "waiting loads", "waiting operations"};

    /* chains repeat exactly on a simulated core, so that a jump is found on a coarse grid; misses differ by some percent */
    const bool even = probe_is_simulated(p) && e->first == LONG_OP_ARITHMETIC;

    snprintf(e->name, sizeof e->name, "%s, %s%s%s", what, long_op_names[e->first], e->second == e->first ? "" : " and ",
             e->second == e->first ? "" : long_op_names[e->second]);
    return (struct sweep){
        .name = e->name,
        .confounder = confounder[e->first],
        .axis = "fillers",
        .unit = "cycles/iteration",
        .build = inflight_build,
        .measure = e->first == LONG_OP_MISS && !probe_is_simulated(p) ? measure_beside_short : NULL,
        .context = e,
        .seconds = probe_scale(p, 1, 1, 5, 25),
        .search = {.kind = KNEE_JUMP,
                   .from = INFLIGHT_FEW,
                   .to = probe_smoke(p, 16, probe_simulated(p, fmin(to, SIMULATED_TO), to)),
                   .limit = probe_smoke(p, 16, probe_simulated(p, fmin(limit, SIMULATED_LIMIT), limit)),
                   .step = 1,
                   .resolution = 0.01,
                   .per_octave = (unsigned)probe_smoke(p, 1, even ? 1 : 4),
                   .budget = (unsigned)probe_smoke(p, 1, 0)}};
}

double inflight_holds(const struct inflight_experiment *e, enum filler_class class)
{
    const bool loads = e->first != LONG_OP_ARITHMETIC;
    const double operations = fmax(e->inflight->steps[e->first] - e->retired, 1) + 1;

    switch (class) {
    case FILLER_NOTHING: return operations; /* the reorder buffer */
    case FILLER_GENERAL:
    case FILLER_LOAD: return loads ? operations : 0;
    case FILLER_VECTOR: return loads ? 0 : operations;
    default: return 0;
    }
}

/*
 * Where an iteration takes as long before its knee as two operations one after the other, they do not overlap any more:
 * the first is done before the last filler is delivered, and the knee shows something else.
 */
static bool reject_delivery(struct probe *p, const struct inflight_experiment *e, struct verdict *v)
{
    double first = e->inflight->chained[e->first], second = e->inflight->chained[e->second];

    if (v->reason || v->count == 0 || v->knees[0].before < (first + second) / 2)
        return true;
    /* or memory has become slower since the probe began */
    if (!inflight_chained_cycles(p, e->inflight, e->first, &first) ||
        !inflight_chained_cycles(p, e->inflight, e->second, &second))
        return false;
    if (!(v->knees[0].before < (first + second) / 2))
        v->reason = REASON_MASKED_BY_DELIVERY;
    return true;
}

/*
 * Operations of the first chain that have retired when the second operation can begin: by how much the iteration is
 * longer than its operations alone are, in which time the chain retires step by step. Where a scheduler has no room for
 * two chains, the second one begins later even without fillers: then a control without operations tells how long they
 * would take.
 */
static void set_retired(struct inflight_experiment *e, const struct verdict *v)
{
    const struct inflight *l = e->inflight;
    const double steps = l->steps[e->first], chained = l->chained[e->first];
    double alone = l->independent[e->first], step = (chained - alone) / steps;

    if (alone - (chained + l->around) / 2 > (chained - l->around) / (2 * steps)) {
        alone = (chained + l->around) / 2;
        step = (chained - l->around) / (2 * steps);
    }
    if (e->first != LONG_OP_MISS && !v->reason && v->count)
        e->retired = floor(fmax(v->knees[0].before - alone, 0) / step);
}

/*
 * A third view of an edge that the two views of the curve place differently, as where the curve slopes on both sides:
 * half of the rise, measured again.
 */
static bool check_edge(struct probe *p, const struct inflight_experiment *e, struct verdict *v)
{
    struct knee *k = &v->knees[0];
    double half;

    if (v->reason || v->count == 0 || ((k->ramp || k->agreed) && k->half_rise_agreed))
        return true;
    if (!inflight_bisect(p, e, LEAST, beyond(k->value), 1, &half))
        return false;
    k->agreed = k->agreed || (!k->ramp && fabs(half - k->value) <= 1);
    k->half_rise_agreed = k->half_rise_agreed || fabs(half - k->half_rise) <= 1;
    return true;
}

bool inflight_search(struct probe *p, struct inflight_experiment *e, struct sweep *s)
{
    struct verdict *v = &s->search.verdict;

    if (!sweep_search(p, s) || !reject_delivery(p, e, v) || !check_edge(p, e, v))
        return false;
    set_retired(e, v);
    return true;
}

/* ---- By bisection --------------------------------------------------------------------------------- */

bool inflight_bisect(struct probe *p, const struct inflight_experiment *e, double fit, double too_many, double within,
                     double *count)
{
    const double least = fit;
    double fast, slow, cycles;

    *count = (double)NAN;
    if ((!probe_is_simulated(p) && !inflight_warm(p, e)) || !inflight_cycles(p, e, fit, &fast) ||
        !inflight_cycles(p, e, too_many, &slow))
        return false;
    const double rise = slow / fast;
    if (!(rise > SLOW_RATIO))
        return true;
    /* what few fillers take is measured beside each number, since it changes with time; not on a simulated core */
    while (too_many - fit > within && !probe_is_smoke(p)) {
        const double middle = floor((fit + too_many) / 2);
        if ((!probe_is_simulated(p) && !inflight_cycles(p, e, least, &fast)) || !inflight_cycles(p, e, middle, &cycles))
            return false;
        if (isnan(fast) || isnan(cycles))
            return true;
        *(cycles < fast * (1 + rise) / 2 ? &fit : &too_many) = middle;
    }
    *count = fit;
    return true;
}

bool inflight_count(struct probe *p, const struct inflight_experiment *e, double about, double *count)
{
    double too_many = floor(about) + INFLIGHT_FEW;

    *count = (double)NAN;
    for (unsigned i = 0; i < NARROWED && !isnan(about); i++) {
        if (!inflight_bisect(p, e, LEAST, too_many, fmax(too_many * COUNT_RESOLUTION, 1), count))
            return false;
        const double closer = beyond(*count);
        if (isnan(*count) || !(closer < too_many))
            break;
        too_many = closer;
    }
    return true;
}
