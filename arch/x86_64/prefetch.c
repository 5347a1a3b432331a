/*
 * Prefetcher switches of x86-64 cores.
 *
 * A table of switches for each family of registers, and a table of which cores have which. Setting a bit switches a
 * prefetcher off unless the row says otherwise. A core that is in no row has no switches, and nothing is tried on it.
 *
 * Sources, by the short names that rows carry, one or more to a row; where there is one only, the record of the run
 * says so (control_single_source):
 *   SDM           Intel SDM vol. 4, MSR tables of each family: IA32_MISC_ENABLE, MSR_MISC_FEATURE_CONTROL
 *   Intel 2014    Intel, "Disclosure of H/W prefetcher control on some Intel processors"
 *   Intel Atom    Intel, "Hardware Prefetch Controls for Intel Atom Cores", July 2026 edition, which is
 *                 intel/optimization-zone, hardware/HWPrefetchTuning. Its 2.1 and 4.1, 4.2 differ in whether
 *                 Gracemont has 0x1a4[4] and 0x1320[43] already: 2.1 says so
 *   PerfSpect     intel/PerfSpect, internal/extract/prefetcher.go, 2026-08
 *   pepc          intel/pepc, pepclibs/msr/MiscFeatureControl.py, until 2025; up to Meteor Lake and Crestmont
 *   CoreFreq      cyring/CoreFreq, x86_64/intel_reg.h, amd_reg.h, corefreqk.c, 2026-07
 *   dPF           uart/hardwarePrefetching, the header with the registers of Atom cores
 *   PPR           AMD, Processor Programming Reference of family 1AH, MSRC000_0108
 *   BKDG          AMD, BIOS and Kernel Developer's Guide of the family, MSRC001_1022
 *   xmrig         xmrig, scripts/randomx_boost.sh: what miners write to switch prefetchers off. AMD documents
 *                 neither bit for these cores, so only the measured effect says that they do it
 */
#include <string.h>

#include "arch/control_private.h"
#include "arch/x86_64/cpu.h"

#define BIT(n) (UINT64_C(1) << (n))
/* A prefetcher with a switch of one bit is off while the bit is set, or, with ENABLE, while it is clear. */
#define DISABLE(n) .mask = BIT(n), .off = BIT(n)
#define ENABLE(n) .mask = BIT(n), .on = BIT(n)
/* Named by programs of others, or by Intel for other models only; see HAZARD_UNDOCUMENTED. */
#define UNDOCUMENTED .hazard = HAZARD_UNDOCUMENTED
#define MISC_ENABLE .register_name = "IA32_MISC_ENABLE", .id = 0x1a0
#define FEATURE_CONTROL .register_name = "MSR_MISC_FEATURE_CONTROL", .id = 0x1a4
#define PREFETCH_6D .register_name = "MSR_0000006D", .id = 0x6d
#define ATOM_1320 .register_name = "MSR_00001320", .id = 0x1320
#define ATOM_1321 .register_name = "MSR_00001321", .id = 0x1321
#define DC_CFG .register_name = "DC_CFG", .id = 0xc0011022
#define CU_CFG3 .register_name = "CU_CFG3", .id = 0xc001102b
#define PREFETCH_CONTROL .register_name = "PrefetchControl", .id = 0xc0000108

/* ---- Switches -------------------------------------------------------------------------------------- */

/* clang-format off: tables */
static const struct control_switch core2[] = {
    {"l2-stream", "L2 streamer", MISC_ENABLE, DISABLE(9), .scope = SCOPE_CORE, .source = "SDM; CoreFreq"},
    {"l2-adjacent", "adjacent line into L2", MISC_ENABLE, DISABLE(19), .scope = SCOPE_CORE, .source = "SDM; CoreFreq"},
    {"l1d-next", "next line into L1D", MISC_ENABLE, DISABLE(37), .scope = SCOPE_CORE, .source = "SDM; CoreFreq"},
    {"l1d-ip", "stride of each load into L1D", MISC_ENABLE, DISABLE(39), .scope = SCOPE_CORE,
     .source = "SDM; CoreFreq"},
    {0}};
/* The four switches that every Core has had since Nehalem; those of later cores follow. */
static const struct control_switch nehalem[] = {{"l2-stream", "L2 streamer", FEATURE_CONTROL, DISABLE(0),
                                                 .scope = SCOPE_CORE, .source = "Intel 2014; SDM; pepc; CoreFreq"},
                                                {"l2-adjacent", "adjacent line into L2", FEATURE_CONTROL, DISABLE(1),
                                                 .scope = SCOPE_CORE, .source = "Intel 2014; SDM; pepc; CoreFreq"},
                                                {"l1d-next", "next line into L1D", FEATURE_CONTROL, DISABLE(2),
                                                 .scope = SCOPE_CORE, .source = "Intel 2014; SDM; pepc; CoreFreq"},
                                                {"l1d-ip", "stride of each load into L1D", FEATURE_CONTROL, DISABLE(3),
                                                 .scope = SCOPE_CORE, .source = "Intel 2014; SDM; pepc; CoreFreq"},
                                                {0}};
static const struct control_switch next_page[] = {{"l1d-next-page", "next page into L1D", FEATURE_CONTROL, DISABLE(4),
                                                   .scope = SCOPE_CORE, .source = "PerfSpect; CoreFreq"},
                                                  {0}};
/*
 * LIKWID takes bit 6 for this one on Sapphire Rapids (sysFeatures_intel_prefetcher.c, 2026-06), against both of these.
 */
static const struct control_switch amp[] = {{"l2-amp", "adaptive multipath into L2", FEATURE_CONTROL, DISABLE(5),
                                             .scope = SCOPE_CORE, .source = "PerfSpect; CoreFreq"},
                                            {0}};
static const struct control_switch page_and_pointers[] = {
    {"llc-page", "page into the last level", FEATURE_CONTROL, DISABLE(6), .scope = SCOPE_CORE,
     .source = "PerfSpect; CoreFreq"},
    {"l1d-pointers", "arrays of pointers", FEATURE_CONTROL, DISABLE(7), .scope = SCOPE_CORE,
     .source = "PerfSpect; CoreFreq"},
    {0}};
static const struct control_switch code_stream[] = {{"code-stream", "stream of code fetches", FEATURE_CONTROL,
                                                     DISABLE(8), UNDOCUMENTED, .scope = SCOPE_CORE,
                                                     .source = "CoreFreq"},
                                                    {0}};
static const struct control_switch server[] = {{"homeless", "misses without a fill buffer, into L2", PREFETCH_6D,
                                                DISABLE(14), UNDOCUMENTED, .scope = SCOPE_CORE, .source = "PerfSpect"},
                                               {"llc", "straight into the last level", PREFETCH_6D, DISABLE(42),
                                                UNDOCUMENTED, .scope = SCOPE_CORE, .source = "PerfSpect"},
                                               {0}};
/* No document names these for Lion Cove: CoreFreq treats it as Redwood Cove (PerCore_Arrowlake_Query). */
static const struct control_switch lion_cove[] = {{"l2-amp", "adaptive multipath into L2", FEATURE_CONTROL, DISABLE(5),
                                                   UNDOCUMENTED, .scope = SCOPE_CORE, .source = "CoreFreq"},
                                                  {"llc-page", "page into the last level", FEATURE_CONTROL, DISABLE(6),
                                                   UNDOCUMENTED, .scope = SCOPE_CORE, .source = "CoreFreq"},
                                                  {"l1d-pointers", "arrays of pointers", FEATURE_CONTROL, DISABLE(7),
                                                   UNDOCUMENTED, .scope = SCOPE_CORE, .source = "CoreFreq"},
                                                  {0}};
/* Bit 1 is reserved in the older Atoms. From Goldmont on the streamer is the module's (pepc). */
static const struct control_switch silvermont[] = {
    {"l2-stream", "L2 streamer", FEATURE_CONTROL, DISABLE(0), .scope = SCOPE_CORE, .source = "SDM; pepc; CoreFreq"},
    {"l1d-next", "next line into L1D", FEATURE_CONTROL, DISABLE(2), .scope = SCOPE_CORE,
     .source = "SDM; pepc; CoreFreq"},
    {0}};
static const struct control_switch goldmont[] = {
    {"l2-stream", "L2 streamer", FEATURE_CONTROL, DISABLE(0), .scope = SCOPE_MODULE, .source = "SDM; pepc; CoreFreq"},
    {"l1d-next", "next line into L1D", FEATURE_CONTROL, DISABLE(2), .scope = SCOPE_CORE,
     .source = "SDM; pepc; CoreFreq"},
    {0}};
/* Here the bits of the two levels are exchanged. */
static const struct control_switch knights[] = {
    {"l1d-next", "L1D prefetcher", FEATURE_CONTROL, DISABLE(0), .scope = SCOPE_CORE, .source = "SDM; pepc; CoreFreq"},
    {"l2-stream", "L2 prefetcher", FEATURE_CONTROL, DISABLE(1), .scope = SCOPE_MODULE, .source = "SDM; pepc; CoreFreq"},
    {0}};
/* What serves the second level is shared by the cores of a module: a write is in force for all of them. */
static const struct control_switch gracemont[] = {
    {"l2-stream", "streamer into L2 and the last level", FEATURE_CONTROL, DISABLE(0), .scope = SCOPE_MODULE,
     .source = "Intel Atom 4.1; pepc; dPF"},
    {"l1d-next", "next line into L1D", FEATURE_CONTROL, DISABLE(2), .scope = SCOPE_CORE,
     .source = "Intel Atom 4.1; pepc; dPF"},
    {"l1d-ip", "stride of each load into L1D", FEATURE_CONTROL, DISABLE(3), .scope = SCOPE_CORE,
     .source = "Intel Atom 4.1; pepc; dPF"},
    {"l1d-next-page", "next page into L1D", FEATURE_CONTROL, DISABLE(4), .scope = SCOPE_CORE,
     .source = "Intel Atom 2.1; dPF"},
    {"l2-amp", "adaptive multipath into L2", FEATURE_CONTROL, DISABLE(5), .scope = SCOPE_MODULE,
     .source = "Intel Atom 4.1; dPF"},
    {"llc-stream", "streamer into the last level", ATOM_1320, DISABLE(43), UNDOCUMENTED, .scope = SCOPE_MODULE,
     .source = "Intel Atom 2.1; PerfSpect; dPF"},
    {"l2-next", "next line into L2", ATOM_1321, DISABLE(40), UNDOCUMENTED, .scope = SCOPE_MODULE,
     .source = "Intel Atom 4.3; dPF"},
    {0}};
static const struct control_switch crestmont[] = {{"l2-adjacent", "adjacent line into L2", FEATURE_CONTROL, DISABLE(1),
                                                   .scope = SCOPE_MODULE, .source = "Intel Atom 4.1; PerfSpect; dPF"},
                                                  {"llc-page", "page into the last level", FEATURE_CONTROL, DISABLE(6),
                                                   .scope = SCOPE_MODULE, .source = "Intel Atom 4.1; dPF"},
                                                  {"l1d-pointers", "arrays of pointers", FEATURE_CONTROL, DISABLE(7),
                                                   .scope = SCOPE_CORE, .source = "Intel Atom 4.1; dPF"},
                                                  {"code-stream", "stream of code fetches", FEATURE_CONTROL, DISABLE(8),
                                                   .scope = SCOPE_MODULE, .source = "Intel Atom 4.1; dPF"},
                                                  {0}};
static const struct control_switch family_10h[] = {
    {"l1d", "L1D prefetcher", DC_CFG, DISABLE(13), .scope = SCOPE_CORE, .source = "BKDG; CoreFreq"}, {0}};
/* CoreFreq names the family's BKDG for these bits, which was not to be had here. */
static const struct control_switch family_15h[] = {
    {"l1-train", "training by L1 misses", CU_CFG3, DISABLE(3), UNDOCUMENTED, .scope = SCOPE_MODULE,
     .source = "CoreFreq"},
    {"l2-region", "region", CU_CFG3, DISABLE(16), UNDOCUMENTED, .scope = SCOPE_MODULE, .source = "CoreFreq"},
    {"l2-stride", "stride", CU_CFG3, DISABLE(17), UNDOCUMENTED, .scope = SCOPE_MODULE, .source = "CoreFreq"},
    {"l2", "all of the L2 prefetcher", CU_CFG3, DISABLE(18), UNDOCUMENTED, .scope = SCOPE_MODULE, .source = "CoreFreq"},
    {0}};
/*
 * CU_CFG3 belongs to the second-level cache and not to the core (CoreFreq: "SharedC"): on family 15H to both cores of a
 * compute unit, on Zen, where each core has a second level of its own, to both threads of the core.
 */
static const struct control_switch zen[] = {
    {"l1d", "L1D prefetchers", DC_CFG, DISABLE(16), UNDOCUMENTED, .scope = SCOPE_CORE, .source = "CoreFreq; xmrig"},
    {"l2", "L2 prefetcher", CU_CFG3, ENABLE(0), UNDOCUMENTED, .scope = SCOPE_MODULE, .source = "CoreFreq; xmrig"},
    {0}};
static const struct control_switch zen3[] = {
    {"l1-stream", "stream into L1", PREFETCH_CONTROL, DISABLE(0), .scope = SCOPE_CORE, .source = "CoreFreq; PPR"},
    {"l1-stride", "stride of each load into L1", PREFETCH_CONTROL, DISABLE(1), .scope = SCOPE_CORE,
     .source = "CoreFreq; PPR"},
    {"l1-region", "region into L1", PREFETCH_CONTROL, DISABLE(2), .scope = SCOPE_CORE, .source = "CoreFreq; PPR"},
    {"l2-stream", "stream into L2", PREFETCH_CONTROL, DISABLE(3), .scope = SCOPE_CORE, .source = "CoreFreq; PPR"},
    {"up-down", "line before or after into L2", PREFETCH_CONTROL, DISABLE(5), .scope = SCOPE_CORE,
     .source = "CoreFreq; PPR"},
    {0}};
/* clang-format on */

/* ---- Which core has which ---------------------------------------------------------------------------- */

enum { SETS = 5 };

struct has {
    const char *core; /* name; NULL: any */
    char vendor;      /* 0: any */
    unsigned family;  /* 0: any */
    unsigned model;   /* 0: any */
    bool by_cpuid;    /* only where CPUID.80000021H:EAX[13] announces the register (APM vol. 3, E.4.18) */
    const struct control_switch *sets[SETS];
};

/* The first row that matches the core is used. */
static const struct has rows[] = {
    {.vendor = 'I', .family = 6, .model = 0x0f, .sets = {core2}}, /* Merom */
    {.vendor = 'I', .family = 6, .model = 0x16, .sets = {core2}},
    {.vendor = 'I', .family = 6, .model = 0x17, .sets = {core2}}, /* Penryn */
    {.vendor = 'I', .family = 6, .model = 0x1d, .sets = {core2}}, /* Dunnington */
    {"nehalem", .sets = {nehalem}},
    {"westmere", .sets = {nehalem}},
    {"sandy-bridge", .sets = {nehalem}},
    {"ivy-bridge", .sets = {nehalem}},
    {"haswell", .sets = {nehalem}},
    {"broadwell", .sets = {nehalem}},
    {"skylake", .sets = {nehalem}},
    {"skylake-server", .sets = {nehalem}},
    {"palm-cove", .sets = {nehalem}},
    {"sunny-cove", .sets = {nehalem}},
    {"willow-cove", .sets = {nehalem}},
    {"cypress-cove", .sets = {nehalem}},
    {"golden-cove", .family = 6, .model = 0x8f, .sets = {nehalem, next_page, amp, server}}, /* Sapphire Rapids */
    {"raptor-cove", .family = 6, .model = 0xcf, .sets = {nehalem, next_page, amp, server}}, /* Emerald Rapids */
    {"golden-cove", .sets = {nehalem, amp}},                                                /* Alder Lake */
    {"raptor-cove", .sets = {nehalem, amp}},                                                /* Raptor Lake */
    {"redwood-cove", .family = 6, .model = 0xad, .sets = {nehalem, next_page, amp, page_and_pointers, server}},
    {"redwood-cove", .family = 6, .model = 0xae, .sets = {nehalem, next_page, amp, page_and_pointers, server}},
    /* Meteor Lake */
    {"redwood-cove", .family = 6, .model = 0xaa, .sets = {nehalem, next_page, amp, page_and_pointers, code_stream}},
    {"redwood-cove", .family = 6, .model = 0xac, .sets = {nehalem, next_page, amp, page_and_pointers, code_stream}},
    /* Arrow Lake U has the cores of Meteor Lake (Linux, arch/x86/include/asm/intel-family.h; CoreFreq). */
    {"redwood-cove", .family = 6, .model = 0xb5, .sets = {nehalem, next_page, amp, page_and_pointers, code_stream}},
    {"lion-cove", .sets = {nehalem, next_page, lion_cove, code_stream}}, /* Lunar Lake, Arrow Lake H and S */
    {"silvermont", .sets = {silvermont}},
    {"airmont", .sets = {silvermont}},
    {"goldmont", .sets = {goldmont}},
    {"goldmont-plus", .sets = {goldmont}},
    {"tremont", .sets = {goldmont}},
    {"knights-landing", .sets = {knights}},
    {"knights-mill", .sets = {knights}},
    {"gracemont", .sets = {gracemont}},
    {"crestmont", .sets = {gracemont, crestmont}},
    {"skymont", .sets = {gracemont, crestmont}},
    {"darkmont", .sets = {gracemont, crestmont}},
    {.vendor = 'A', .family = 0x10, .sets = {family_10h}},
    {.vendor = 'A', .family = 0x12, .sets = {family_10h}},
    {.vendor = 'A', .family = 0x15, .sets = {family_10h, family_15h}},
    {"zen1", .sets = {zen}},
    {"zen2", .sets = {zen}},
    {.vendor = 'A', .family = 0x19, .by_cpuid = true, .sets = {zen3}}, /* Zen 3 and 4 */
    {.vendor = 'A', .family = 0x1a, .by_cpuid = true, .sets = {zen3}}, /* Zen 5 */
};

static bool fits(const struct has *h, const struct cpu *cpu)
{
    return (!h->core || !strcmp(h->core, cpu->core)) && (!h->vendor || h->vendor == cpu->vendor) &&
           (!h->family || h->family == cpu->family) && (!h->model || h->model == cpu->model);
}

void control_find_switches(struct control *c)
{
    struct cpu cpu;

    cpu_find(c->changes.access, &cpu);
    c->no_switches = "no prefetcher switch is known for this core";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct has *h = &rows[i];
        if (!fits(h, &cpu))
            continue;
        if (h->by_cpuid && !cpu_bit(c->changes.access, 0x80000021, 0, CPUID_EAX, 13)) {
            c->no_switches = "CPUID does not announce this core's prefetcher switches";
            return;
        }
        c->no_switches = NULL;
        for (size_t set = 0; set < SETS && h->sets[set]; set++)
            for (const struct control_switch *s = h->sets[set]; s->name; s++)
                control_add_switch(c, s);
        return;
    }
}
