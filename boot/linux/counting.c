#define _GNU_SOURCE
#include "boot/linux/counting.h"

#include "boot/linux/perf.h"
#include "boot/linux/window.h"
#include "lib/counters/count.h"
#include "lib/machine.h"

/* Of the core that counting_start was called for last. */
static struct perf_pmu pmu;
static struct counters have;
static bool proven;

const char *counting_start(unsigned core, const char *core_name)
{
    perf_find((int)core, &pmu);
    perf_counters(&pmu, core_name, &have);
    proven = false;
    return have.why_not;
}

const struct counters *counting_offered(void)
{
    return &have;
}

const char *machine_count(const struct counter_setting *list, size_t count)
{
    const char *why = perf_windows_count(&pmu, list, count);

    windows_count(!why && count > 0);
    return why;
}

const struct counters *machine_counters(void)
{
    struct counter_proof rows[COUNTER_SLOTS];

    if (!proven) {
        proven = true;
        counters_prove(&have, rows, perf_proof(&have, rows, COUNTER_SLOTS));
    }
    return &have;
}
