#include "arch/counters.h"

#include "arch/aarch64/counter_registers.h"
#include "arch/aarch64/counters_apple.h"
#include "arch/aarch64/counters_pmuv3.h"
#include "arch/aarch64/system_registers.h"
#include "arch/counters_private.h"

enum { APPLE = 0x61 }; /* MIDR_EL1.Implementer, bits [31:24] */

/*
 * PMUv3 where ID_AA64DFR0_EL1.PMUVer, bits [11:8], says so: 0 is none and 0xf an implementer's own (Arm ARM DDI 0487,
 * D19.2). Apple's cores say one of these two and have counters of their own; in a virtual machine they may have either.
 */
void counters_find(const struct access *a, struct counters *out)
{
    uint64_t features, midr;
    unsigned version;

    *out = (struct counters){.kind = COUNTERS_NONE};
    if (!a->read(a->context, ID_ID_AA64DFR0_EL1, &features) || !a->read(a->context, ID_MIDR_EL1, &midr)) {
        out->why_not = "ID_AA64DFR0_EL1 and MIDR_EL1 cannot be read";
        return;
    }
    version = register_field(features, 8, 4);
    if (version != 0 && version != 0xf)
        pmuv3_find(a, out);
    else if (register_field(midr, 24, 8) == APPLE)
        apple_find(a, out);
    else if (version == 0)
        out->why_not = "no performance monitors (ID_AA64DFR0_EL1.PMUVer is 0)";
    else
        out->why_not = "performance monitors are the implementer's own, not PMUv3 (ID_AA64DFR0_EL1.PMUVer is 15)";
}

const struct counter_driver *counter_driver(const struct counters *have)
{
    return have->kind == COUNTERS_APPLE ? &apple_counters : &pmuv3_counters;
}
