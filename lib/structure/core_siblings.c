#include "lib/structure/core_siblings.h"

#include <math.h>

#include "lib/base/statistics.h"
#include "lib/structure/tolerances_memory.h"

void core_siblings_decide(double times[SIBLING_KERNELS][SIBLING_ROUNDS], size_t count, struct sibling_verdict *out)
{
    bool siblings[SIBLING_KERNELS] = {false};

    *out = (struct sibling_verdict){.reason = count ? REASON_NONE : REASON_NO_READINGS};
    for (size_t k = 0; k < SIBLING_KERNELS && count; k++) {
        double low, high;
        out->times[k] = median(times[k], count); /* sorts them */
        median_bounds(times[k], count, &low, &high);
        siblings[k] = low >= SIBLINGS_FROM;
        if (!siblings[k] && !(high <= APART_UP_TO))
            out->reason = REASON_NOISE;
    }
    for (size_t k = 1; k < SIBLING_KERNELS && !out->reason; k++)
        if (siblings[k] != siblings[0])
            out->reason = REASON_EXPERIMENTS_DISAGREE;
    out->siblings = siblings[0];
}
