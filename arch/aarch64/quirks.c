/*
 * Quirks of AArch64 cores: errata and peculiarities, and what is done about each. Those of firmware are in
 * boot/uefi/firmware.c.
 */
#include <string.h>

#include "arch/aarch64/cores.h"
#include "arch/aarch64/counter_errata.h"
#include "arch/aarch64/system_registers.h"
#include "arch/control.h"

enum { NAMES = 14 };

/* The cores that have a quirk, by name; no name: any. With `at_el2`, only when the program was started at EL2. */
static const struct {
    const char *core[NAMES]; /* ended by NULL where there are fewer */
    bool at_el2;
    struct quirk quirk;
} quirks[] = {
    {{NULL},
     true,
     {"filter-excludes-el2", "every PMUv3 at EL2",
      "a counter counts nothing at EL2 unless bit 27 of its filter is set: it is set, though windows run at EL1",
      "Arm ARM DDI 0487, PMEVTYPER<n>_EL0.NSH"}},
    {{"cortex-a57", "cortex-a72", "cortex-a76", "cortex-a77", "cortex-a78", "cortex-a710", "cortex-x1", "cortex-x2",
      "cortex-x4", "cortex-x925", "neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v3"},
     false,
     {"gated-switches", "Arm's cores with switches in the tables",
      "a write to the prefetcher switches may trap to EL3, and firmware before TF-A 2.11 hangs then: read only, unless "
      "risky = prefetch",
      "technical reference manuals, ACTLR_EL3; TF-A change log, UNDEF injection"}},
    {{"cortex-a710", "cortex-x2", "cortex-x3", "neoverse-n2", "neoverse-v2"},
     false,
     {"prefetch-off-deadlocks", "Cortex-A710, X2, X3, Neoverse N2, V2",
      "switching all data prefetchers off (CPUECTLR_EL1[15]) may deadlock the core: it is none of its switches here",
      "TF-A, lib/cpus/aarch64/wa_cve_2025_0647_cpprctx.S"}},
    {{"cortex-a73"},
     false,
     {"torn-time-stamp", "Cortex-A73",
      "CNTVCT_EL0 may read wrong while its lower 32 bits wrap around, once in minutes: such a reading is rejected as "
      "far from its neighbours",
      "Arm erratum 858921; Linux, drivers/clocksource/arm_arch_timer.c"}},
    {{"icestorm", "firestorm", "blizzard", "avalanche"},
     false,
     {"e2h-always", "Apple M1 and M2",
      "HCR_EL2.E2H cannot be cleared: registers of EL1 are accessed by their _EL12 names",
      "AsahiLinux/m1n1; Linux, arch/arm64/kernel/head.S"}},
    {{"firestorm", "avalanche"},
     false,
     {"pointer-prefetch", "P-cores of Apple M1 and M2",
      "a prefetcher follows what looks like pointers in data; a switch of its own turns it off, PSTATE.DIT does not",
      "AsahiLinux/m1n1, src/mitigations.c"}},
    {{"sawtooth", "everest", "apple-m4-e", "apple-m4-p"},
     false,
     {"dit-stops-pointer-prefetch", "Apple M3 and later",
      "PSTATE.DIT also switches the data-dependent prefetcher off: recorded, not changed",
      "AsahiLinux/m1n1, src/mitigations.c; GoFetch, 2024"}},
    {{"apple-m4-e", "apple-m4-p"},
     false,
     {"own-registers-unknown", "Apple M4 and later",
      "which of Apple's own registers may be accessed is not known: each access is guarded, so that a fault is caught",
      "AsahiLinux/m1n1, src/chickens.c"}},
};

/* Those of the counter that is the time stamp, which the machine's tables announce. */
static const struct {
    uint32_t erratum;
    struct quirk quirk;
} counter_quirks[] = {
    {COUNTER_EQUAL,
     {"unstable-time-stamp", "Freescale LS1043A and LS2080A, by the device tree",
      "CNTVCT_EL0 may read wrong: it is read until two readings in a row are equal",
      "Freescale erratum A-008585; Linux, drivers/clocksource/arm_arch_timer.c"}},
    {COUNTER_NEAR,
     {"unstable-time-stamp", "HiSilicon Hip05 to Hip07, by the device tree or the GTDT",
      "CNTVCT_EL0 may read wrong: it is read until one reading follows another by less than 32 ticks",
      "HiSilicon erratum 161010101; Linux, drivers/clocksource/arm_arch_timer.c"}},
    {COUNTER_BETWEEN_ROLLS,
     {"unstable-time-stamp", "Allwinner A64, by the device tree",
      "CNTVCT_EL0 may read wrong while its bit 10 or a higher one changes: a reading whose lower 9 bits are all equal "
      "is "
      "repeated",
      "Linux, drivers/clocksource/arm_arch_timer.c, erratum unknown1"}},
};

static bool named(const char *const core[NAMES], const char *name)
{
    if (!core[0])
        return true;
    for (size_t i = 0; i < NAMES && core[i]; i++)
        if (!strcmp(core[i], name))
            return true;
    return false;
}

size_t control_quirks(const struct access *a, const struct quirk *out[], size_t room)
{
    uint64_t midr = 0, level = 0;
    size_t count = 0;

    if (!a->read(a->context, ID_MIDR_EL1, &midr))
        return 0;
    (void)a->read(a->context, ID_CurrentEL, &level); /* [3:2] */
    const struct core *core = core_find(midr);
    const char *name = core ? core->name : "";

    for (size_t i = 0; i < sizeof quirks / sizeof quirks[0] && count < room; i++)
        if (named(quirks[i].core, name) && (!quirks[i].at_el2 || level >> 2 == 2))
            out[count++] = &quirks[i].quirk;
    for (size_t i = 0; i < sizeof counter_quirks / sizeof counter_quirks[0] && count < room; i++)
        if (counter_quirks[i].erratum == counter_erratum)
            out[count++] = &counter_quirks[i].quirk;
    return count;
}
