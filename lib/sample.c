#include "lib/sample.h"

#include <math.h>

#include "lib/probe.h"

bool sample_cycles(struct probe *p, unsigned samples, bool (*build)(struct probe *p, void *context, struct kernel *k),
                   void *context, double *cycles)
{
    double y[SAMPLES_MAXIMUM];
    size_t used = 0;

    samples = (unsigned)probe_smoke(p, 1, samples < SAMPLES_MAXIMUM ? samples : SAMPLES_MAXIMUM);
    for (unsigned i = 0; i < samples; i++) {
        struct kernel k = {.units = 1};
        struct point pt;
        if (!build(p, context, &k) || !probe_measure(p, &k, &pt))
            return false;
        if (!isnan(pt.q20))
            y[used++] = pt.q20;
    }
    sort_numbers(y, used);
    *cycles = quantile(y, used, 0.5);
    return true;
}
