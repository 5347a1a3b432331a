#include "lib/structure/branch_cost.h"

#include <math.h>

#include "lib/base/statistics.h"
#include "lib/structure/tolerances_btb.h"

bool branch_curve_build(struct probe *p, double branches, void *context, struct kernel *k)
{
    struct branch_curve *curve = context;

    curve->chain.count = (size_t)branches - BRANCH_CHAIN_LOOP_BRANCHES;
    if (!branch_chain_kernel(p, &curve->chain, curve->room, k))
        return false;
    k->length_factor = curve->length_factor;
    return true;
}

bool branch_cost(struct probe *p, const struct branch_curve *curve, size_t count, double *cycles)
{
    enum { SAMPLES = 3 };
    struct branch_curve of_count = *curve;
    double all[SAMPLES];
    bool repeats = false; /* and so would any further sample */

    for (size_t i = 0; i < SAMPLES; i++) {
        struct kernel k;
        struct point pt = {.repeats = false};
        all[i] = i > 0 ? all[i - 1] : 0;
        if (repeats)
            continue;
        if (!branch_curve_build(p, (double)count, &of_count, &k) || !probe_measure(p, &k, &pt))
            return false;
        all[i] = pt.q20;
        repeats = pt.repeats;
    }
    for (size_t i = 0; i < SAMPLES; i++)
        if (isnan(all[i])) {
            *cycles = NAN;
            return true;
        }
    *cycles = median(all, SAMPLES);
    return true;
}

bool branch_cost_of_one_more(struct probe *p, const struct branch_curve *curve, size_t few, struct branch_more *out)
{
    enum { MORE = 8, STEPS = 7, FROM = 2, TO = 4 /* of the sorted differences: the middle three */ };
    double one[STEPS], before = NAN;
    bool known = true;

    for (size_t i = 0; i <= STEPS; i++) {
        const size_t count = few + i * MORE;
        double cycles;
        if (!branch_cost(p, curve, count, &cycles))
            return false;
        known &= !isnan(cycles);
        if (i > 0)
            one[i - 1] = (cycles * (double)count - before) / MORE;
        before = cycles * (double)count;
    }
    *out = (struct branch_more){NAN, NAN, NAN};
    if (!known)
        return true;
    sort_numbers(one, STEPS);
    if (one[TO] - one[FROM] <= BRANCH_COST_ALIKE * one[STEPS / 2])
        *out = (struct branch_more){one[STEPS / 2], one[FROM] * (1 - BTB_CALIBRATION), one[TO] * (1 + BTB_CALIBRATION)};
    return true;
}

bool branch_cost_rises(struct probe *p, const struct branch_curve *curve, double *count)
{
    enum { LEAST = 32, MOST = 8192 };
    double few, cycles, low = LEAST, high = MOST;

    *count = NAN;
    if (!branch_cost(p, curve, LEAST, &few) || !branch_cost(p, curve, MOST, &cycles))
        return false;
    if (!(cycles > BRANCH_COST_RISES * few))
        return true;
    while (high - low > 1 && high > BRANCH_COST_CLOSE * low) {
        const double middle = floor((low + high) / 2);
        if (!branch_cost(p, curve, (size_t)middle, &cycles))
            return false;
        if (isnan(cycles))
            return true;
        *(cycles > BRANCH_COST_RISES * few ? &high : &low) = middle;
    }
    *count = low;
    return true;
}

bool branch_cost_fit(struct probe *p, const struct branch_chain_room *room, struct btb_fit *fit, double seconds,
                     double length_factor, struct btb_fit_result *result)
{
    const double deadline = meter_seconds(&p->run->meter) + seconds;
    struct btb_sequence next;
    bool more = false;

    *result = *btb_fit_decide(fit);
    while (meter_seconds(&p->run->meter) < deadline && btb_fit_next(fit, &next)) {
        const struct branch_curve curve = {
            .room = room, .chain = {.pattern = next.pattern, .stride = next.stride}, .length_factor = length_factor};
        double cycles;
        if (!branch_cost(p, &curve, next.count, &cycles))
            return false;
        if (isnan(cycles))
            continue; /* no reading was accepted: the fit asks again */
        if (!btb_fit_add(fit, &next, cycles, BTB_SEQUENCE_ERROR * cycles))
            break;
        more = true;
    }
    if (more)
        *result = *btb_fit_decide(fit);
    return true;
}
