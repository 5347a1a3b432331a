#include "arch/counters.h"

#include "arch/counters_private.h"
#include "arch/x86_64/counters_amd.h"
#include "arch/x86_64/counters_intel.h"
#include "arch/x86_64/cpu.h"

void counters_find(const struct access *a, struct counters *out)
{
    struct cpu cpu;

    cpu_find(a, &cpu);
    *out = (struct counters){.kind = COUNTERS_NONE};
    /* Zhaoxin and Centaur follow Intel's architectural PMU. */
    if (cpu.vendor == 'A' || cpu.vendor == 'H')
        amd_find(a, out);
    else
        intel_find(a, out);
}

const struct counter_driver *counter_driver(const struct counters *have)
{
    return have->kind == COUNTERS_AMD ? &amd_counters : &intel_counters;
}
