#include "lib/structure/instruction_cost.h"

#include <math.h>

#include "lib/base/statistics.h"

enum {
    INSTANCES = 48, /* in a kernel; twice as many in its longer variant */
    SMOKE_INSTANCES = 12,
    SAMPLES = 2,            /* of independent instances, which are measured at several moments besides */
    CHAIN_SAMPLES = 5,      /* of a chain */
    CHAIN_SAMPLES_MOST = 15 /* of a chain whose cycles are no whole number */
};

/*
 * Quantiles of the samples: SAMPLES_QUANTILE is taken as the cycles, SPREAD_QUANTILE less the minimum as the spread.
 * What disturbs a kernel makes it longer; but where its reference chains were disturbed it seems shorter, so that the
 * minimum will not do.
 */
static const double SAMPLES_QUANTILE = 0.2;
static const double SPREAD_QUANTILE = 0.8;
/*
 * Part of the cycles by which those of n and 2n instances may differ for the difference to be the loop's. Chosen: the
 * loop is two instructions beside at least 48.
 */
static const double LOOP_PART = 0.06;
/* Latencies are whole numbers of cycles, to this part of them or to WHOLE_CYCLES, whichever is more. Chosen. */
static const double WHOLE_PART = 0.01;
static const double WHOLE_CYCLES = 0.04;

unsigned instruction_instances(const struct probe *p)
{
    return (unsigned)probe_smoke(p, SMOKE_INSTANCES, INSTANCES);
}

double instruction_whole_within(double cycles)
{
    return fmax(WHOLE_CYCLES, WHOLE_PART * cycles);
}

bool instruction_is_whole(double cycles)
{
    const double whole = floor(cycles + 0.5);

    return whole > 0 && fabs(cycles - whole) <= instruction_whole_within(cycles);
}

struct instruction_cost instruction_cost_measure(struct probe *p, const struct area *data, struct form_kernel *w)
{
    const bool is_chain = w->from != FORM_NO_CHAIN && !w->one_register;
    const unsigned samples = (unsigned)probe_smoke(p, 1, is_chain ? CHAIN_SAMPLES : SAMPLES);
    const unsigned most = is_chain ? (unsigned)probe_smoke(p, 1, CHAIN_SAMPLES_MOST) : samples;
    struct instruction_cost cost = {.cycles = (double)NAN, .spread = (double)NAN};
    double y[CHAIN_SAMPLES_MOST];
    size_t count = 0;
    struct kernel k;
    struct point pt;

    cost.why.reason = form_kernel_make(p, w, data->at, &k);
    for (unsigned i = 0; i < most && !cost.why.reason; i++) {
        if (i >= samples && instruction_is_whole(cost.cycles))
            break;
        const struct window_result result = meter_measure(&p->run->meter, &k, &pt);
        if (result.end == WINDOW_TIMEOUT)
            cost.why.reason = REASON_TIMEOUT;
        else if (result.end == WINDOW_FAULT)
            cost.why = (struct why){REASON_FAULT, result.fault.vector};
        else if (!isnan(pt.q20))
            y[count++] = pt.q20;
        sort_numbers(y, count);
        cost.cycles = quantile(y, count, SAMPLES_QUANTILE);
    }
    if (cost.why.reason)
        return cost;
    cost.spread = quantile(y, count, SPREAD_QUANTILE) - quantile(y, count, 0);
    if (!count)
        cost.why.reason = REASON_NOT_STEADY;
    return cost;
}

bool instruction_cost_without_loop(double once, double twice, double *cycles)
{
    if (!(fabs(once - twice) <= LOOP_PART * twice))
        return false;
    *cycles = 2 * twice - once;
    return true;
}

const char *instruction_why_text(struct why why)
{
    if (why.reason == REASON_FAULT)
        return why.detail;
    return why.reason ? reasons[why.reason].token : NULL;
}
