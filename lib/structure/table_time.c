#include "lib/structure/table_time.h"

#include <math.h>

#include "lib/structure/history_end.h"

enum {
    ATTEMPTS = 8,   /* at a sample that is disturbed */
    LOST_MOST = 16, /* samples after which no more are taken: of fewer than 1,600, too many are lost already */
    READINGS = 32   /* of a kernel in a sample: where a sibling is at work, seven of eight are disturbed */
};

/* Mispredictions of the probe branch in an iteration; NaN where it cannot be measured. False: the probe is over. */
static bool measure(struct table_time *e, double *missed)
{
    double cycles[HISTORY_PROBES];

    for (enum history_probe goes = 0; goes < HISTORY_PROBES; goes++) {
        struct kernel k;
        cycles[goes] = NAN;
        for (unsigned i = 0; i < probe_smoke(e->p, 1, READINGS) && isnan(cycles[goes]); i++)
            if (!table_trial_build(e->p, &e->trial, goes, &k) ||
                !probe_quick_sample(e->p, &k, &e->iterations[goes], &cycles[goes]))
                return false;
    }
    e->samples++;
    const double zero = cycles[HISTORY_CONSTANT], half = cycles[HISTORY_OTHER_BIT] - zero;
    *missed = half > HISTORY_HALF_LEAST ? 0.5 * (cycles[HISTORY_SAME_BIT] - zero) / half : (double)NAN;
    e->unmeasured += isnan(*missed) ? 1 : 0;
    return true;
}

bool table_time_sample(void *context, unsigned dummies, bool chance, uint64_t layout, bool *predicted)
{
    struct table_time *e = context;
    double missed = NAN;

    e->trial.dummies = dummies;
    e->trial.chance = chance;
    e->trial.layout = layout;
    for (unsigned i = 0; i < probe_smoke(e->p, 1, ATTEMPTS) && isnan(missed) && e->lost < LOST_MOST; i++)
        if (!measure(e, &missed))
            return false;
    e->lost += isnan(missed) ? 1 : 0;
    *predicted = missed < (HISTORY_PREDICTED + HISTORY_UNPREDICTED) / 2;
    return true;
}
