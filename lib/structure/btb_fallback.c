#include "lib/structure/btb_fallback.h"

#include <math.h>

#include "lib/probe/probe.h"
#include "lib/structure/tolerances_btb.h"

const char *const btb_origin_names[BTB_ORIGINS] = {[BTB_ORIGIN_DECODE] = "decode", [BTB_ORIGIN_L1I] = "l1i"};

enum { NOPS_BYTES = 96, FEW = 16 /* branches that any level holds */ };

bool btb_fallback_measure(struct probe *p, enum branch_chain_pattern pattern, const struct branch_chain_room *room,
                          size_t span, struct btb_fallback *out)
{
    const size_t far = span / BTB_FALLBACK_STRIDE;
    struct branch_curve c = {.room = room,
                             .chain = {.pattern = pattern,
                                       .stride = BTB_FALLBACK_STRIDE,
                                       .branch_end = BTB_FALLBACK_STRIDE - BRANCH_CHAIN_LINE_BYTES / 2}};
    double few, few_with_nops;

    if (!branch_cost(p, &c, far, &out->bare) || !branch_cost(p, &c, far / 2, &out->half) ||
        !branch_cost(p, &c, FEW, &few))
        return false;
    c.chain.nop_bytes = NOPS_BYTES;
    if (!branch_cost(p, &c, far, &out->some))
        return false;
    c.chain.nop_bytes = (size_t)2 * NOPS_BYTES;
    if (!branch_cost(p, &c, far, &out->more) || !branch_cost(p, &c, FEW, &few_with_nops))
        return false;
    out->resident = few_with_nops - few;
    return true;
}

enum btb_origin btb_fallback_origin(const struct btb_fallback *f, enum reason *why)
{
    const double first = f->some - f->bare, second = f->more - f->some;
    const bool flat = fabs(f->bare - f->half) <= BTB_FALLBACK_FLAT * f->bare;

    *why = isnan(f->half + first + second + f->resident) ? REASON_NO_READINGS
           : flat                                        ? REASON_AMBIGUOUS
                                                         : REASON_NOT_LEFT;
    if (!flat)
        return BTB_ORIGIN_UNKNOWN;
    if (f->resident > BTB_FALLBACK_SEEN * f->bare && first + second <= BTB_FALLBACK_HIDDEN * f->resident)
        return BTB_ORIGIN_L1I;
    /* else the NOPs must be visible but take no longer than the redirect, which may hide the first half of them only */
    if (!(second > BTB_FALLBACK_SEEN * f->bare && second <= f->bare))
        return BTB_ORIGIN_UNKNOWN;
    if (first <= BTB_FALLBACK_HIDDEN * second)
        return BTB_ORIGIN_L1I;
    return first >= BTB_FALLBACK_ADDED * second && first + second >= BTB_FALLBACK_ADDED * f->resident
               ? BTB_ORIGIN_DECODE
               : BTB_ORIGIN_UNKNOWN;
}
