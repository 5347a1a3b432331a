#include "lib/structure/inflight_repeat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/probe/probe.h"
#include "lib/structure/inflight_search.h"
#include "lib/structure/tolerances_inflight.h"

/* ---- Whether a result still holds ----------------------------------------------------------------- */

/*
 * Whether these cycles are nearer to those of a few fillers than to those of as many fillers between two operations of
 * one dependency chain, with which nothing overlaps.
 */
static bool is_fast(struct probe *p, const struct inflight_experiment *e, double fillers, double cycles, bool *fast)
{
    struct inflight_experiment chained = *e;
    double few, slow;

    chained.one_chain = 1;
    chained.gate = GATE_NONE;
    if (!inflight_cycles(p, &chained, fillers, &slow) || !inflight_cycles(p, e, INFLIGHT_FEW, &few))
        return false;
    *fast = cycles < (few + slow) / 2;
    return true;
}

/*
 * Sets *wrong unless the knee is where it was: a number of fillers behind it must be slow, one a little below it fast,
 * and, where the edge is as sharp as that of single misses, the second number behind it slow as well. One point of the
 * curve may have been wrong, or all of them.
 */
static bool is_knee_wrong(struct probe *p, const struct inflight_experiment *e, const struct knee *k, bool *wrong)
{
    const struct {
        double fillers;
        bool fit;
    } checks[] = {
        {fmax(k->high, k->end) + INFLIGHT_FEW, false},
        {k->value - SAME_LIMIT_COUNT, true},
        {k->high + 1, false},
    };
    const size_t count = e->first != LONG_OP_MISS || k->ramp ? 2 : 3;
    double few, cycles;

    if (!inflight_warm(p, e) || !inflight_cycles(p, e, INFLIGHT_FEW, &few))
        return false;
    const double half = few * (k->before + k->after) / (2 * k->before);
    for (size_t i = 0; i < count && !*wrong; i++) {
        bool fast;
        if (!(checks[i].fillers > INFLIGHT_FEW))
            continue;
        if (!inflight_cycles(p, e, checks[i].fillers, &cycles))
            return false;
        if ((cycles < half) == checks[i].fit)
            continue;
        fast = cycles < half;
        if (e->second == e->first && !is_fast(p, e, checks[i].fillers, cycles, &fast))
            return false;
        *wrong = fast != checks[i].fit;
    }
    return true;
}

/*
 * Whether an experiment that was undecided for that reason may be decided at another time. What one kind of operation
 * does not show others may, unless the request has only one.
 */
static bool may_be_decided_later(const struct inflight_result *a, enum reason reason)
{
    return reason == REASON_AMBIGUOUS ||
           (a->request.only && (reason == REASON_MASKED_BY_DELIVERY || reason == REASON_NO_KNEE));
}

/* Sets *open where some experiment of the result is wrong now, or may be decided now. */
static bool needs_search(struct probe *p, const struct inflight_result *a, bool *open)
{
    for (size_t i = 0; i < a->count && !*open; i++) {
        const struct verdict *v = a->experiments[i].verdict;
        if (v->reason)
            *open = may_be_decided_later(a, v->reason);
        else if (v->count && !is_knee_wrong(p, &a->runs[i], &v->knees[0], open))
            return false;
    }
    return true;
}

/* Checks the result again. *holds: it is as it was; then a->confirmed grows by one. */
static bool confirm(struct probe *p, struct inflight_result *a, bool *holds)
{
    bool open = !a->confirmed;

    if (!needs_search(p, a, &open))
        return false;
    *holds = !open;
    a->confirmed += *holds;
    return true;
}

/* ---- Of two results the better one ---------------------------------------------------------------- */

/* Whether `one` has more fillers in sum, by the experiments that both have decided. */
static bool has_more(const struct inflight_result *one, const struct inflight_result *than)
{
    double more = 0;

    for (size_t i = 0; i < one->count && i < than->count; i++)
        if (one->runs[i].first == than->runs[i].first && inflight_is_decided(one, i) && inflight_is_decided(than, i))
            more += one->sweeps[i].search.verdict.knees[0].value - than->sweeps[i].search.verdict.knees[0].value;
    return more > 0;
}

/* Whether `one` is better: the larger result of those found twice; the larger one where neither or both were. */
static bool is_better(const struct inflight_result *one, const struct inflight_result *than)
{
    if (inflight_nothing_decided(one) || inflight_nothing_decided(than))
        return !inflight_nothing_decided(one);
    return (one->confirmed > 1) == (than->confirmed > 1) ? has_more(one, than) : one->confirmed > 1;
}

static void swap_with_other(struct inflight_result *a)
{
    struct inflight_result *const other = a->other, was = *a;

    *a = *other;
    *other = was;
    a->other = other;
    other->other = NULL;
    inflight_bind(a);
    inflight_bind(other);
}

/*
 * Notes for the grade what else was found, where it differs by more than the position in a group: a larger number, or
 * one that was found as often. A smaller one that was found once has a cause that is over.
 */
static void note_other(struct inflight_result *a)
{
    const double by = a->request.only ? 1 : a->request.group > 0 ? a->request.group : INFLIGHT_GROUP;
    const struct inflight_result *other = a->other;

    for (size_t i = 0; i < a->count; i++) {
        a->experiments[i].otherwise = 0;
        if (!other || !other->confirmed || i >= other->count || other->runs[i].first != a->runs[i].first ||
            !inflight_is_decided(a, i) || !inflight_is_decided(other, i))
            continue;
        const double then = other->sweeps[i].search.verdict.knees[0].value;
        const double now = a->sweeps[i].search.verdict.knees[0].value;
        if (!inflight_same(then, now) && fabs(then - now) >= by &&
            (then > now || a->confirmed == 1 || other->confirmed > 1))
            a->experiments[i].otherwise = then;
    }
}

/* ---- Repetition ----------------------------------------------------------------------------------- */

/* Measures the result again, unless the other one found earlier holds now, and keeps the better of both in *a. */
static bool measure_again(struct probe *p, struct inflight_result *a)
{
    struct inflight_request q = a->request;
    bool holds = false;

    if (a->other && !confirm(p, a->other, &holds))
        return false;
    if (!holds) {
        if (a->other)
            inflight_free(a->other);
        free(a->other);
        a->other = calloc(1, sizeof *a->other);
        if (!a->other)
            return probe_skip(p, "out of memory for another result");
        snprintf(q.name, sizeof q.name, "%.32s, again", a->request.name);
        if (!inflight_measure(p, &q, a->other))
            return false;
        a->other->request = a->request;
    }
    if (is_better(a->other, a))
        swap_with_other(a);
    return true;
}

bool inflight_repeat(struct probe *p, struct inflight_result *results, size_t count)
{
    bool good = true, holds = false;

    /* on a simulated core another time shows the same */
    for (size_t i = 0; i < count && good && !probe_is_smoke(p) && !probe_is_simulated(p); i++) {
        good = confirm(p, &results[i], &holds) && (holds || measure_again(p, &results[i]));
        note_other(&results[i]);
    }
    return good;
}

bool inflight_repeat_all(struct probe *p, struct inflight_result *results, size_t count)
{
    bool good = true;

    for (unsigned i = 0; i < INFLIGHT_REPEATS && good; i++)
        good = inflight_repeat(p, results, count);
    return good;
}
