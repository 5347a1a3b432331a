#include "lib/structure/inflight_targets.h"

#include <math.h>

#include "lib/base/reason.h"
#include "lib/structure/tolerances_inflight.h"

bool inflight_targets_range(struct probe *p, struct inflight_request *q)
{
    struct inflight_experiment e = {.inflight = q->inflight, .fillers = {inflight_filler(q->fillers[0])}};
    double before, few = (double)NAN, cycles;

    if (probe_is_smoke(p) || !e.fillers[0])
        return true;
    if (!inflight_delivery_cycles(p, &e, INFLIGHT_FEW, &before))
        return false;
    for (double n = 2 * INFLIGHT_FEW; n <= q->to; n *= 2) {
        if (!inflight_delivery_cycles(p, &e, n, &cycles))
            return false;
        const double each = (cycles - before) / (n / 2);
        if (each > DELIVERY_SLOWER * fmax(few, 1)) {
            q->to = q->limit = n / 2;
            return true;
        }
        few = isnan(few) ? each : few;
        before = cycles;
    }
    return true;
}

bool inflight_targets_reject(struct probe *p, const void *context, const struct inflight_experiment *e,
                             struct verdict *v)
{
    const double fit = v->knees[0].low, too_many = v->knees[0].high + INFLIGHT_FEW;
    double with_fit, with_more, alone_fit, alone_more;

    (void)context;
    if (v->reason || v->count == 0)
        return true;
    if (!inflight_cycles(p, e, fit, &with_fit) || !inflight_cycles(p, e, too_many, &with_more) ||
        !inflight_delivery_cycles(p, e, fit, &alone_fit) || !inflight_delivery_cycles(p, e, too_many, &alone_more))
        return false;
    /* of two causes the one that makes more of the rise */
    if (alone_more - alone_fit > (with_more - with_fit) / 2)
        v->reason = REASON_MASKED_BY_BTB;
    return true;
}
