/*
 * Quirks of x86-64 cores: errata and peculiarities, and what is done about each. Those of firmware are in
 * boot/uefi/firmware.c.
 *
 * Names of errata are those of Intel's specification updates; "Linux" is arch/x86 of that kernel, version 6.12.
 */
#include <string.h>

#include "arch/control.h"
#include "arch/x86_64/cpu.h"

static bool amd(const struct cpu *c)
{
    return c->vendor == 'A' || c->vendor == 'H';
}

/* Whether the core is one of these names, ended by NULL. */
static bool among(const struct cpu *c, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(c->core, *names))
            return true;
    return false;
}

#define AMONG(...) among(c, (const char *const[]){__VA_ARGS__, NULL})

static bool lfence(const struct cpu *c)
{
    return amd(c) && c->family >= 0x10 && c->family <= 0x19 && c->family != 0x11;
}

static bool no_smi_count(const struct cpu *c)
{
    return amd(c);
}

static bool immediates(const struct cpu *c)
{
    return AMONG("golden-cove", "raptor-cove", "redwood-cove", "lion-cove");
}

static bool pending(const struct cpu *c)
{
    return AMONG("sunny-cove");
}

static bool threads(const struct cpu *c)
{
    return AMONG("sandy-bridge", "ivy-bridge", "haswell");
}

static bool transactions(const struct cpu *c)
{
    return AMONG("skylake", "skylake-server");
}

static bool hybrid_p(const struct cpu *c)
{
    return c->hybrid && AMONG("golden-cove", "raptor-cove");
}

static bool no_metrics(const struct cpu *c)
{
    return c->vendor == 'I' && c->family == 6 && (c->model == 0xaa || c->model == 0xac);
}

static bool managed(const struct cpu *c)
{
    return c->vendor == 'I' && c->family == 6 &&
           (c->model == 0x8f || c->model == 0xcf || c->model == 0xad || c->model == 0xae);
}

static bool module(const struct cpu *c)
{
    return AMONG("gracemont", "crestmont", "skymont", "darkmont");
}

static bool swapped(const struct cpu *c)
{
    return AMONG("knights-landing", "knights-mill");
}

static bool three_strikes(const struct cpu *c)
{
    return AMONG("golden-cove", "raptor-cove");
}

static bool user_only(const struct cpu *c)
{
    return AMONG("golden-cove", "raptor-cove", "redwood-cove", "lion-cove");
}

static bool zen2(const struct cpu *c)
{
    return AMONG("zen2");
}

static bool pairs(const struct cpu *c)
{
    return amd(c) && c->family >= 0x17;
}

static const struct {
    bool (*applies)(const struct cpu *c);
    struct quirk quirk;
} quirks[] = {
    {lfence,
     {"lfence-by-switch", "AMD families 10H to 19H",
      "LFENCE orders instructions only where DE_CFG[1] is set: set before the first reading, restored at the end",
      "AMD, Software Techniques for Managing Speculation, mitigation G-2"}},
    {no_smi_count,
     {"smi-uncounted", "AMD",
      "there is no MSR_SMI_COUNT: system management mode shows only as time that a reading loses",
      "AMD PPRs; event 02BH counts it instead, from family 17H, models 30H, on"}},
    {immediates,
     {"immediates-folded", "Golden Cove and later",
      "additions of constants are done at rename, several in a cycle: every reference chain adds a register",
      "measured by others on Alder Lake; Intel Optimization Reference Manual, Golden Cove, allocation"}},
    {pending,
     {"pending-interrupts", "Ice Lake",
      "an interrupt that is pending while masked slows retirement: windows stop its source, not only mask it",
      "nanoBench, kernel/nb_km.c"}},
    {cpu_warms_up_counters,
     {"counter-warm-up", "Nehalem, Westmere",
      "counters may count wrongly until four certain events have run on them: done each time that counters are set up, "
      "except where one of the first four is in use, or could not be put back",
      "errata AAK100, AAP53, BD53; Linux, events/intel/core.c, intel_pmu_nhm_workaround"}},
    {threads,
     {"counters-leak", "Sandy Bridge to Haswell with hyper-threading",
      "events D0H to D3H also count in the sibling thread's counter of the same number: it must be parked",
      "errata BJ122, BV98, HSD29; Linux, events/intel/core.c"}},
    {transactions,
     {"counter-3-lent", "Skylake to Coffee Lake with transactions",
      "microcode takes general counter 3 for transactions unless TSX_FORCE_ABORT[0] is set",
      "Intel, Performance Monitoring Impact of TSX Memory Ordering Issue; Linux, events/intel/core.c"}},
    {hybrid_p,
     {"counters-understated", "P-cores of Alder and Raptor Lake",
      "CPUID.0AH announces the six general and three fixed counters that both kinds of core have; this one has 8 and 4",
      "Linux, events/intel/core.c, ALDERLAKE"}},
    {no_metrics,
     {"metrics-unannounced", "Meteor Lake", "PERF_CAPABILITIES[15] reads as 0: it says nothing of top-down metrics",
      "Linux, events/intel/core.c, intel_pmu_broken_perf_cap"}},
    {managed,
     {"prefetch-managed", "Sapphire, Emerald and Granite Rapids",
      "hardware also turns l2-stream, l2-adjacent, l2-amp and llc-page off and on by itself while they are on: they "
      "can "
      "be relied on only while they are off",
      "intel/PerfSpect, prefetcher.go"}},
    {module,
     {"prefetch-shared", "Gracemont and later Atom cores",
      "switches of the second level are in force for all cores of the module",
      "Intel, Hardware Prefetch Controls for Intel Atom Cores, 4"}},
    {swapped,
     {"prefetch-swapped", "Knights Landing and Mill",
      "bits 0 and 1 of MSR_MISC_FEATURE_CONTROL mean L1D and L2, the other way round than elsewhere",
      "Intel SDM vol. 4, table of Knights Landing"}},
    {three_strikes,
     {"three-strikes", "12th generation Core and later",
      "bit 11 among the prefetcher switches disables a watchdog of retirement: never touched",
      "erratum ADL021; CoreFreq, x86_64/intel_reg.h"}},
    {user_only,
     {"pointer-prefetch-in-user-mode", "Golden Cove and later",
      "the data-dependent prefetcher can be switched off for user mode only (SPEC_CTRL[8]); the image runs above that",
      "Intel, Data-Dependent Prefetcher guidance"}},
    {zen2,
     {"non-branch-prediction", "Zen 2",
      "DE_CFG2[1] suppresses predictions where there is no branch: Linux sets it, firmware may not. Branch findings "
      "differ between the two; recorded, not changed",
      "Linux, kernel/cpu/amd.c"}},
    {pairs,
     {"counter-pairs", "AMD families 17H and later",
      "event 003H takes an even counter and the next one, which has to count event FFFH",
      "AMD PPRs, merge events; Linux, events/amd/core.c"}},
};

size_t control_quirks(const struct access *a, const struct quirk *out[], size_t room)
{
    struct cpu cpu;
    size_t count = 0;

    cpu_find(a, &cpu);
    for (size_t i = 0; i < sizeof quirks / sizeof quirks[0] && count < room; i++)
        if (quirks[i].applies(&cpu))
            out[count++] = &quirks[i].quirk;
    return count;
}
