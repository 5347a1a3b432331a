#include "lib/structure/inflight_limit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/inflight_search.h"
#include "lib/structure/tolerances_inflight.h"

/* ---- Limits that any experiment has --------------------------------------------------------------- */

const char *const inflight_writers[INFLIGHT_KINDS] = {"int64", "v128"};
const char *const inflight_pairs[INFLIGHT_KINDS] = {"load-64", "store-64", "nop", "nop", "nop",
                                                    "nop",     "nop",      "nop", "nop", "nop"};

struct inflight_request inflight_writers_request(const struct inflight *l, const char *name)
{
    struct inflight_request q = {
        .inflight = l, .class = FILLER_GENERAL, .to = INFLIGHT_TO, .limit = INFLIGHT_LIMIT, .one_is_enough = true};

    snprintf(q.name, sizeof q.name, "%s", name);
    memcpy(q.fillers, inflight_writers, sizeof q.fillers);
    return q;
}

/*
 * Sets *least to a number of fillers that surely fits, where it is not decided how many do: the smallest half of the
 * rise by any kind of operation, less the steps of its chain, which may all have retired by then. 0: not known.
 */
static bool count_least(struct probe *p, const struct inflight_result *a, double nops, double *least)
{
    *least = 0;
    for (size_t i = 0; i < a->count; i++) {
        double half;
        if (a->count > 1 && a->runs[i].first == LONG_OP_MISS) /* whose latency depends on other programs */
            continue;
        if (!inflight_count(p, &a->runs[i], nops, &half))
            return false;
        half -= a->runs[i].inflight->steps[a->runs[i].first];
        *least = isnan(half) ? *least : *least > 0 ? fmin(*least, half) : half;
    }
    return true;
}

/*
 * Sets *fit to how many of these fillers fit, as the probe `rob` found or as measured here (NaN: not decided), and
 * *least to a number that surely does. `nops`: a number that does not fit, to begin with.
 */
static bool find_limit(struct probe *p, const struct inflight_request *q, double nops, double *fit, double *least)
{
    char variant[48];
    struct inflight_result a;

    snprintf(variant, sizeof variant, "filler=%s", q->name);
    *fit = *least = facts_number(&p->run->facts, "backend.rob.instructions", variant, (double)NAN);
    if (!isnan(*fit))
        return true;
    if (!inflight_measure(p, q, &a))
        return false;
    *fit = inflight_fitted(&a, FILLER_NOTHING);
    *least = *fit;
    const bool good = !isnan(*fit) || count_least(p, &a, nops, least);
    inflight_free(&a);
    return good;
}

/*
 * Sets *most to how many NOPs may share an entry of the reorder buffer, where its entries are not known: one where as
 * many pairs of memory accesses with NOPs are in flight as NOPs alone (lib/structure/entry_packing.h).
 */
static bool find_nops_per_entry(struct probe *p, const struct inflight_limits *l, unsigned *most)
{
    struct inflight_request pairs = {.inflight = l->inflight,
                                     .name = "pairs",
                                     .class = FILLER_NOTHING,
                                     .to = INFLIGHT_TO,
                                     .limit = INFLIGHT_LIMIT,
                                     .one_is_enough = true};
    double fit = (double)NAN, least;

    memcpy(pairs.fillers, inflight_pairs, sizeof pairs.fillers);
    if (!isnan(l->nops) && !find_limit(p, &pairs, l->nops, &fit, &least))
        return false;
    *most = inflight_same(fit, l->nops) ? 1 : PER_ENTRY_MOST;
    return true;
}

bool inflight_find_limits(struct probe *p, const struct inflight *l, struct inflight_limits *out)
{
    const struct inflight_request nops = {.inflight = l,
                                          .name = "nop",
                                          .fillers = {"nop"},
                                          .class = FILLER_NOTHING,
                                          .to = INFLIGHT_TO,
                                          .limit = INFLIGHT_LIMIT,
                                          .one_is_enough = true},
                                  writers = inflight_writers_request(l, "registers");
    const struct facts *facts = &p->run->facts;
    const double entries = facts_number(facts, "backend.rob.entries", "", (double)NAN);
    double least;

    *out = (struct inflight_limits){.inflight = l,
                                    .nops_per_entry = 1,
                                    .per_entry = (unsigned)facts_number(facts, "backend.rob.per_entry", "", 1),
                                    .group = facts_number(facts, "backend.rob.group", "", (double)NAN)};
    if (!find_limit(p, &nops, (double)NAN, &out->nops, &least) ||
        (isnan(entries) && !find_nops_per_entry(p, out, &out->nops_per_entry)))
        return false;
    /* other fillers end where NOPs do, or where fewer of them would share an entry */
    if (out->nops > entries && out->per_entry == 1)
        out->nops_per_entry = (unsigned)fmin(floor(out->nops / entries + 0.5), PER_ENTRY_MOST);
    if (out->nops_per_entry > 1 && !isnan(entries))
        out->nops = entries * out->nops_per_entry;
    return find_limit(p, &writers, out->nops, &out->writers, &out->writers_at_least);
}

/* Whether the knee of the i-th experiment is where that many instructions end. */
static bool ends_at(const struct inflight_limits *l, const struct inflight_result *a, size_t i, double instructions)
{
    const double group = isnan(l->group) ? INFLIGHT_GROUP : l->group;
    const double holds = inflight_holds(&a->runs[i], FILLER_NOTHING);
    const double end = a->experiments[i].verdict->knees[0].value + holds;

    /*
     * the tolerance allows for the entries of the operations themselves, which fillers do not share and which are only
     * calculated for chains, and for the position in a group
     */
    return inflight_same(end, instructions) || fabs(end - instructions) <= holds + group - 1;
}

static bool ends_at_rob(const struct inflight_limits *l, const struct inflight_result *a, size_t i)
{
    for (unsigned n = 1; n <= l->nops_per_entry; n++)
        if (ends_at(l, a, i, l->nops / n))
            return true;
    for (unsigned n = 1; n < l->per_entry; n++) /* fillers of which only n share an entry */
        if (ends_at(l, a, i, l->nops * n / l->per_entry))
            return true;
    return false;
}

enum { ONE_ENTRY = 1 /* by which equal numbers may differ: the second operation enters in another cycle */ };

/*
 * Whether another experiment, whose knee is not where the reorder buffer ends, shows the same number of entries: its
 * operations occupy other entries of the reorder buffer, so that one number for both is that of another structure.
 */
static bool is_shown_elsewhere(const struct inflight_limits *l, const struct inflight_result *a, size_t i)
{
    const struct experiment *e = a->experiments;

    for (size_t k = 0; k < a->count; k++)
        if (k != i && inflight_is_decided(a, k) && !ends_at_rob(l, a, k) &&
            fabs(e[k].verdict->knees[0].value + e[k].holds - e[i].verdict->knees[0].value - e[i].holds) <= ONE_ENTRY)
            return true;
    return false;
}

enum reason inflight_masked_by_rob(const struct inflight_limits *l, const struct inflight_result *a)
{
    if (isnan(l->nops))
        return REASON_ROB_UNKNOWN;
    for (size_t i = 0; i < a->count; i++)
        if (inflight_is_decided(a, i) && ends_at_rob(l, a, i) && !is_shown_elsewhere(l, a, i))
            return REASON_MASKED_BY_ROB;
    return REASON_NONE;
}

enum reason inflight_may_be_renames(double fitted, double most)
{
    return most > fitted && !inflight_same(fitted, most) ? REASON_NONE : REASON_RENAMES_IN_FLIGHT;
}

/* ---- Reports -------------------------------------------------------------------------------------- */

void inflight_undecided(struct probe *p, const struct finding *f, enum reason reason)
{
    struct finding undecided = *f;

    undecided.value = undecided.low = undecided.high = NAN;
    undecided.grade = 'U';
    undecided.reason = reason;
    report(p, &undecided);
}

/* Whether an experiment that agrees counted what its operations occupy, instead of calculating it. */
static bool is_counted(const struct graded *r, const struct experiment *e, size_t count)
{
    for (size_t i = 0; i < count && i < EXPERIMENTS_MAXIMUM; i++)
        if (r->agrees[i] && !e[i].reckoned)
            return true;
    return false;
}

/*
 * Whether one experiment shows a ramp and no other one any end: the ramp may be the time in which fillers are
 * delivered. A few of them take less than an operation does.
 */
static bool is_lone_ramp(const struct experiment *e, size_t count, size_t first)
{
    for (size_t i = 0; i < count; i++)
        if (i != first && !e[i].verdict->reason && e[i].verdict->count > e[i].knee)
            return false;
    const struct knee *k = &e[first].verdict->knees[e[first].knee];
    return k->ramp && k->end - k->value > LONE_RAMP_MOST;
}

void inflight_report(struct probe *p, const struct finding *f, const struct experiment *e, size_t count, double step,
                     double group)
{
    const struct graded r = grade_capacity(e, count, step);
    struct finding out = *f;

    if (r.grade == 'U' || is_lone_ramp(e, count, r.first)) {
        inflight_undecided(p, f, r.grade == 'U' ? r.reason : REASON_RAMP_OF_ONE);
        return;
    }
    out.value = r.value;
    out.low = r.low;
    out.high = r.high + (isnan(group) ? INFLIGHT_GROUP : fmax(group, 1)) - 1;
    out.holds = r.holds;
    out.grade = r.grade == 'A' ? 'B' : r.grade;
    /* calculated, to an operation or two; and one experiment alone is no surer of where its ramp begins */
    if ((r.holds > 0 || r.grade == 'C') && !is_counted(&r, e, count)) {
        out.grade = 'C';
        out.low = fmax(out.low - 2, 0);
        out.high += 2;
    }
    if (r.grade == 'C' && step > 1) { /* experiments may differ by a step, and this is one of them */
        out.low = fmax(out.low - step, 0);
        out.high += step;
    }
    out.agreement = r.agreement[0] ? r.agreement : NULL;
    out.remarks[0].key = "condition";
    out.remarks[0].text = "counts entries that can be filled; a core may require free room for one more group";
    for (size_t i = 0; i < count && i < FINDING_CURVES; i++)
        out.curves[i] = e[i].name;
    report(p, &out);
}
