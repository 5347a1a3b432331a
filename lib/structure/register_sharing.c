#include "lib/structure/register_sharing.h"

#include <math.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/tolerances_inflight.h"

const char *register_sharing_halves(const struct sharing *s)
{
    double least = INFINITY, most = 0;

    for (size_t i = 0; i < s->count; i++) {
        least = fmin(least, s->trials[i].alone[1] / s->trials[i].alone[0]);
        most = fmax(most, s->trials[i].alone[1] / s->trials[i].alone[0]);
    }
    /* halves that fit for a whole one, by all trials alike */
    const bool one = least >= 1 - HALVES_PER_WHOLE_OFF && most <= 1 + HALVES_PER_WHOLE_OFF,
               two = least >= 2 - HALVES_PER_WHOLE_OFF && most <= 2 + HALVES_PER_WHOLE_OFF;
    return !s->text ? NULL : !strcmp(s->text, "separate") ? "apart" : one ? "whole" : two ? "packed" : NULL;
}

static bool is_pair_final(const struct sharing *pairs, size_t i)
{
    return pairs[i].text && (i > 0 || register_sharing_halves(&pairs[i]));
}

bool register_sharing_find(struct probe *p, const struct inflight_limits *l, struct sharing *pairs, size_t count)
{
    const enum reason *unusable = l->inflight->unusable;
    const bool chains = !unusable[LONG_OP_LOADS] && !unusable[LONG_OP_ARITHMETIC];

    for (size_t i = 0; i < count; i++) {
        struct sharing *s = &pairs[i];
        s->group = l->group;
        s->count = 0;
        if (!inflight_filler(s->a) || !inflight_filler(s->b))
            continue;
        /* latencies of misses depend on other programs: where both chains are usable they are enough */
        s->count = chains ? 2 : LONG_OPS;
        for (size_t t = 0; t < LONG_OPS; t++)
            s->trials[t].first = s->trials[t].second = (enum long_op)((LONG_OP_LOADS + t) % LONG_OPS);
    }
    return sharing_find_all(p, l->inflight, pairs, count, is_pair_final);
}

/*
 * As many of both classes as of one alone may be all renames, or all entries of the reorder buffer. Something between
 * shared and separate is not decided.
 */
static void withdraw_if_masked(const struct inflight_limits *l, double writers, struct sharing *s)
{
    double total = 0;

    for (size_t i = 0; i < s->count && s->text; i++)
        total = fmax(total,
                     fmax(s->trials[i].alone[0], s->trials[i].alone[1]) + l->inflight->steps[s->trials[i].first] + 1);
    if (!s->text || !strcmp(s->text, "separate"))
        return;
    s->reason = strcmp(s->text, "shared") ? REASON_AMBIGUOUS : inflight_may_be_renames(total, writers);
    for (unsigned n = 1; n <= l->nops_per_entry && !s->reason; n++)
        if (inflight_same(total, l->nops / n))
            s->reason = REASON_MASKED_BY_ROB;
    if (s->reason)
        s->text = NULL;
}

static void report_halves(struct probe *p, const struct sharing *s)
{
    const char *text = register_sharing_halves(s);

    report(p, &(struct finding){.name = "backend.registers.halves",
                                .value = (double)NAN,
                                .low = (double)NAN,
                                .high = (double)NAN,
                                .text = text,
                                .grade = text ? s->grade : 'U',
                                .reason = text        ? REASON_NONE
                                          : s->reason ? s->reason
                                                      : REASON_AMBIGUOUS,
                                .method = "half as many whole registers as fit, and then halves"});
}

void register_sharing_report(struct probe *p, const struct inflight_limits *l, double writers, struct sharing *pairs,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        withdraw_if_masked(l, writers, &pairs[i]);
        if (inflight_filler(pairs[i].a) && inflight_filler(pairs[i].b))
            sharing_report(p, "backend.registers.shared", pairs[i].a, pairs[i].b, &pairs[i]);
    }
    report_halves(p, &pairs[0]);
    sharing_send(p, pairs, count);
}
