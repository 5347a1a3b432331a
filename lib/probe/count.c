#include "lib/probe/count.h"

#include <math.h>

#include "lib/counters/count.h"

/* Iterations of the shorter of two readings, and how often they are repeated. */
enum { ITERATIONS = 16, REPETITIONS = 5 };

bool probe_count(struct probe *p, const struct kernel *k, const char *need, double *per_unit)
{
    const struct counters *have = machine_counters();
    struct event event;
    struct count count = {0};
    char why[160];

    *per_unit = NAN;
    if (have->why_not ||
        !events_find(events_core(machine_info()->core_name), have->kind, need, &event, why, sizeof why))
        return true;
    /* a pair of readings has three times as many iterations as its shorter one */
    const struct count_options options = {.iterations = ITERATIONS,
                                          .warmup = 1 + (unsigned)(k->warm_iterations / (3 * ITERATIONS)),
                                          .repetitions = REPETITIONS};
    struct window_result result = count_kernel(k, &event, 1, &options, &count);
    if (!count.why[0])
        *per_unit = count.spread.mean;
    return probe_survived(p, &result);
}
