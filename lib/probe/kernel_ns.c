#include "lib/probe/kernel_ns.h"

#include <math.h>

#include "lib/base/statistics.h"

enum { READINGS = 9 /* of a window */, ATTEMPTS = 6 /* windows, the first of which warms up */ };

bool kernel_ns(struct probe *p, const struct kernel *k, uint64_t iterations, double *ns)
{
    struct reading list[READINGS];
    double times[READINGS];

    *ns = (double)NAN;
    for (unsigned attempt = 0; attempt < ATTEMPTS && isnan(*ns); attempt++) {
        for (size_t i = 0; i < READINGS; i++)
            list[i] = (struct reading){.kernel = k->entry, .argument = {iterations, k->data}};
        if (!probe_goes_on(p))
            return false;
        const struct window_result r = machine_window(list, READINGS);
        if (!probe_survived(p, &r))
            return false;
        for (size_t i = 0; i < READINGS; i++) {
            times[i] = (double)(list[i].end_ticks - list[i].begin_ticks) / machine_info()->tick_hz * 1e9;
            p->run->meter.kernel_seconds += times[i] / 1e9;
        }
        if (!r.interrupts && !r.smis && !r.throttled && (attempt > 0 || probe_is_smoke(p)))
            *ns = median(times, READINGS) / (double)iterations;
    }
    return true;
}
