#include "lib/structure/renames_in_flight.h"

#include <math.h>

#include "lib/base/reason.h"
#include "lib/finding/finding.h"
#include "lib/probe/probe.h"
#include "lib/structure/inflight_search.h"
#include "lib/structure/tolerances_inflight.h"

/*
 * Whether NOPs before them take room from writers, as they do in the reorder buffer: REASON_MASKED_BY_ROB; REASON_NONE:
 * they do not; REASON_AMBIGUOUS: something between, or there are too few NOPs to see it.
 */
static bool check_with_nops(struct probe *p, const struct inflight_limits *l, enum reason *reason)
{
    const unsigned before = (unsigned)fmin(l->nops / 4, (l->nops - l->writers) / 2);
    unsigned untouched = 0, taken = 0;

    *reason = REASON_AMBIGUOUS;
    if (!(l->writers * before / l->nops > NOPS_TAKE_LEAST * l->writers))
        return true;

    for (enum long_op kind = 0; kind < LONG_OPS; kind++) {
        struct inflight_experiment e = {
            .inflight = l->inflight, .first = kind, .second = kind, .head = inflight_filler("nop")};
        double alone, behind;
        if (l->inflight->unusable[kind] || !inflight_choose_fillers(&e, inflight_writers))
            continue;
        if (!inflight_count(p, &e, l->writers * BEYOND_FITTING, &alone))
            return false;
        e.head_count = before;
        if (!inflight_count(p, &e, l->writers * BEYOND_FITTING, &behind))
            return false;
        const double missing = alone - behind, whole = alone * before / l->nops; /* what the buffer would lack */
        untouched += missing < whole / 4;
        taken += missing > whole * 3 / 4;
    }
    *reason = taken ? REASON_MASKED_BY_ROB : untouched ? REASON_NONE : REASON_AMBIGUOUS;
    return true;
}

/* Why the writers' end is not that of renames; REASON_NONE: only NOPs are left to check. */
static enum reason other_limit(const struct inflight_limits *l, struct renames_class general,
                               struct renames_class vector)
{
    const double at_least = isnan(l->writers) ? l->writers_at_least : l->writers;
    const bool files_end_later = at_least * FILES_END_LATER < 2 * fmin(general.registers, vector.registers);

    if (isnan(l->nops))
        return REASON_ROB_UNKNOWN;
    if (isnan(general.registers) || isnan(vector.registers) || (isnan(l->writers) && files_end_later))
        return REASON_REGISTERS_UNKNOWN;
    if (!files_end_later)
        return REASON_MASKED_BY_REGISTERS;
    if (l->writers >= l->nops - INFLIGHT_GROUP || inflight_same(l->writers, l->nops))
        return REASON_MASKED_BY_ROB;
    if (inflight_same(general.total, l->writers) && inflight_same(vector.total, l->writers))
        return REASON_RENAMES_OR_ONE_FILE;
    return REASON_NONE;
}

bool renames_find(struct probe *p, const struct inflight_limits *l, struct renames_class general,
                  struct renames_class vector, double *renames)
{
    const struct finding f = {
        .name = "backend.rename_retire.entries",
        .method = "writes of general and vector registers in turn, which end before the files do"};
    enum reason reason = other_limit(l, general, vector);
    struct inflight_result a;

    *renames = (double)NAN;
    if (!reason && !check_with_nops(p, l, &reason))
        return false;
    if (reason) {
        inflight_undecided(p, &f, reason);
        return true;
    }
    const struct inflight_request q = inflight_writers_request(l->inflight, "renames");
    if (!inflight_measure(p, &q, &a))
        return false;
    for (size_t i = 0; i < a.count; i++)
        a.experiments[i].holds = inflight_holds(&a.runs[i], FILLER_NOTHING);
    *renames = l->writers;
    inflight_report(p, &f, a.experiments, a.count, 1, l->group);
    inflight_free(&a);
    return true;
}
