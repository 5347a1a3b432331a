/*
 * The clock of x86-64 cores: four ways to choose it, of which a core has one in force.
 *
 *   HWP            Intel, where IA32_PM_ENABLE[0] is set: requests in IA32_HWP_REQUEST (SDM vol. 3B, 15.4)
 *   IA32_PERF_CTL  Intel otherwise: a ratio, and a bit against turbo (SDM vol. 3B, 15.1 and 15.3)
 *   AMD CPPC       where CPPC_ENABLE[0] is set: requests in CPPC_REQ (APM vol. 2, 17.6)
 *   AMD P-states   otherwise: one of the defined states, and a bit against boost (APM vol. 2, 17.1 and 17.2)
 *
 * A way that the firmware left off is not switched on, since HWP and CPPC cannot be switched off again before a
 * reset. Turbo that the firmware has forbidden stays forbidden.
 */
#include <string.h>

#include "arch/control_private.h"
#include "arch/x86_64/cpu.h"

enum way { WAY_NONE, WAY_HWP, WAY_PERF_CTL, WAY_CPPC, WAY_P_STATES };

/* Intel SDM vol. 4, table 2-2 and the tables of each family. */
enum {
    PLATFORM_INFO = 0xce,
    PERF_CTL = 0x199,
    MISC_ENABLE = 0x1a0,
    TURBO_RATIO_LIMIT = 0x1ad,
    PM_ENABLE = 0x770,
    HWP_CAPABILITIES = 0x771,
    HWP_REQUEST = 0x774,
};
/* AMD PPR of each family; Linux, arch/x86/include/asm/msr-index.h. */
#define HWCR 0xc0010015
#define P_STATE_LIMIT 0xc0010061
#define P_STATE_CONTROL 0xc0010062
#define P_STATE_0 0xc0010064
#define CPPC_CAP1 0xc00102b0
#define CPPC_ENABLE 0xc00102b1
#define CPPC_REQ 0xc00102b3

#define BIT(n) (UINT64_C(1) << (n))
#define EIST BIT(16)                  /* IA32_MISC_ENABLE: Enhanced SpeedStep */
#define NO_TURBO BIT(38)              /* IA32_MISC_ENABLE */
#define TURBO_DISENGAGE BIT(32)       /* IA32_PERF_CTL */
#define RATIO UINT64_C(0xff00)        /* IA32_PERF_CTL[15:8] */
#define HWP_ON BIT(0)                 /* IA32_PM_ENABLE */
#define HWP_RATIOS UINT64_C(0xffffff) /* IA32_HWP_REQUEST: minimum, maximum, desired */
#define HWP_EPP UINT64_C(0xff000000)  /* its energy preference; 0 is performance */
#define HWP_PACKAGE BIT(42)           /* values come from IA32_HWP_REQUEST_PKG instead */
#define BOOST_OFF BIT(25)             /* HWCR: CpbDis */
#define P_STATE UINT64_C(7)           /* P_STATE_CONTROL */
#define P_STATE_ENABLED BIT(63)
#define CPPC_ON BIT(0)

static unsigned byte(uint64_t value, unsigned low)
{
    return (unsigned)(value >> low & 0xff);
}

static bool read(const struct control *c, uint32_t id, uint64_t *value)
{
    const struct access *a = c->changes.access;
    return a->read(a->context, id, value);
}

/* ---- What there is ----------------------------------------------------------------------------------- */

static bool hypervisor(const struct access *a)
{
    return cpu_bit(a, 1, 0, CPUID_ECX, 31);
}

/*
 * Ratios are of HWP's own units, which are the bus clock's multiples except on hybrid processors (Linux,
 * drivers/cpufreq/intel_pstate.c, scaling of hybrid cores).
 */
static void find_hwp(struct control_clock *k, const struct cpu *cpu, uint64_t capabilities)
{
    k->way = "HWP";
    k->kind = WAY_HWP;
    k->highest = byte(capabilities, 0);
    k->base = byte(capabilities, 8);
    k->lowest = byte(capabilities, 24);
    k->ratio_hz = cpu->hybrid ? 0 : 100e6;
    k->turbo = k->highest > k->base;
}

/* The bus clock is 100 MHz from Sandy Bridge on, before that 133.33 (SDM vol. 4, MSR_PLATFORM_INFO). */
static double bus_hz(const struct cpu *cpu)
{
    const bool old = cpu->model == 0x1a || cpu->model == 0x1e || cpu->model == 0x1f || cpu->model == 0x2e ||
                     cpu->model == 0x25 || cpu->model == 0x2c || cpu->model == 0x2f;
    return old ? 400e6 / 3 : 100e6;
}

static void find_perf_ctl(struct control *c, const struct cpu *cpu)
{
    const struct access *a = c->changes.access;
    struct control_clock *k = &c->clock;
    uint64_t platform, enable, limit, ctl;

    k->why_not = "the clock's registers cannot be read";
    if (!read(c, PLATFORM_INFO, &platform) || !read(c, MISC_ENABLE, &enable) || !read(c, PERF_CTL, &ctl))
        return;
    k->base = byte(platform, 8);
    k->lowest = byte(platform, 40);
    k->ratio_hz = bus_hz(cpu);
    k->why_not = "MSR_PLATFORM_INFO holds no ratio, as under most hypervisors";
    if (!k->base)
        return;
    k->why_not = "Enhanced SpeedStep is off (IA32_MISC_ENABLE[16])";
    if (!(enable & EIST))
        return;
    /* CPUID.06H:EAX[1] is 0 while IA32_MISC_ENABLE[38] is set (SDM vol. 3B, 15.3.2.2). */
    k->turbo = cpu_bit(a, 6, 0, CPUID_EAX, 1) && !(enable & NO_TURBO);
    k->highest = k->base;
    if (k->turbo && read(c, TURBO_RATIO_LIMIT, &limit) && byte(limit, 0) > k->base)
        k->highest = byte(limit, 0);
    k->way = "IA32_PERF_CTL";
    k->kind = WAY_PERF_CTL;
    k->why_not = NULL;
}

/*
 * Cores whose IA32_PERF_CTL takes a voltage beside the ratio: Core 2 (Linux, drivers/cpufreq/acpi-cpufreq.c writes what
 * ACPI lists), Silvermont and Airmont (Linux, drivers/cpufreq/intel_pstate.c, atom_get_val). A ratio alone may choose a
 * voltage that is too low for it.
 */
static bool wants_voltage(const struct cpu *cpu)
{
    static const unsigned core2[] = {0x0f, 0x16, 0x17, 0x1d};

    for (size_t i = 0; i < sizeof core2 / sizeof core2[0]; i++)
        if (cpu->model == core2[i])
            return true;
    return !strcmp(cpu->core, "silvermont") || !strcmp(cpu->core, "airmont");
}

static void find_intel(struct control *c, const struct cpu *cpu)
{
    const struct access *a = c->changes.access;
    uint64_t on, capabilities;

    /* CPUID.06H:EAX[7]: HWP; CPUID.01H:ECX[7]: Enhanced SpeedStep. */
    if (cpu_bit(a, 6, 0, CPUID_EAX, 7) && read(c, PM_ENABLE, &on) && (on & HWP_ON) &&
        read(c, HWP_CAPABILITIES, &capabilities) && byte(capabilities, 8))
        find_hwp(&c->clock, cpu, capabilities);
    else if (wants_voltage(cpu))
        c->clock.why_not =
            "this core's IA32_PERF_CTL takes a voltage beside the ratio, and which one is not known here";
    else if (!cpu_bit(a, 1, 0, CPUID_ECX, 7))
        c->clock.why_not = "this core announces neither HWP in force nor Enhanced SpeedStep";
    else
        find_perf_ctl(c, cpu);
}

/*
 * The clock of a P-state: AMD PPR of families 17H and 19H, MSRC001_0064 (CpuFid[7:0], CpuDfsId[13:8] in eighths);
 * of 1AH (CpuFid[11:0] in 5 MHz). Other families have other formulas: 0.
 */
static double p_state_hz(const struct cpu *cpu, uint64_t definition)
{
    const unsigned divisor = (unsigned)(definition >> 8 & 0x3f);

    if (!(definition & P_STATE_ENABLED))
        return 0;
    if (cpu->family == 0x1a)
        return 5e6 * (double)(definition & 0xfff);
    return cpu->family >= 0x17 && cpu->family <= 0x19 && divisor ? 200e6 * byte(definition, 0) / divisor : 0;
}

static void find_p_states(struct control *c, const struct cpu *cpu)
{
    const struct access *a = c->changes.access;
    struct control_clock *k = &c->clock;
    uint64_t limit, definition, hwcr;

    k->why_not = "the P-state registers cannot be read";
    if (!read(c, P_STATE_LIMIT, &limit) || !read(c, P_STATE_0, &definition) || !read(c, HWCR, &hwcr))
        return;
    k->why_not = "no P-state is defined";
    if (!(definition & P_STATE_ENABLED))
        return;
    for (unsigned i = 0; i < CLOCK_STATES && i <= (limit >> 4 & 7); i++)
        if (read(c, P_STATE_0 + i, &definition))
            k->state_hz[i] = p_state_hz(cpu, definition);
    /* CPUID.80000007H:EDX[9]: core performance boost (APM vol. 3, E.4.6). */
    k->turbo = cpu_bit(a, 0x80000007, 0, CPUID_EDX, 9) && !(hwcr & BOOST_OFF);
    k->way = "AMD P-states";
    k->kind = WAY_P_STATES;
    k->why_not = NULL;
    k->ratio_hz = 1e6;
}

static void find_amd(struct control *c, const struct cpu *cpu)
{
    const struct access *a = c->changes.access;
    struct control_clock *k = &c->clock;
    uint64_t on, capabilities;

    /* CPUID.80000008H:EBX[27]: CPPC; CPUID.80000007H:EDX[7]: P-states in hardware (APM vol. 3, E.4.7 and E.4.6). */
    if (cpu_bit(a, 0x80000008, 0, CPUID_EBX, 27) && read(c, CPPC_ENABLE, &on) && (on & CPPC_ON) &&
        read(c, CPPC_CAP1, &capabilities) && byte(capabilities, 16)) {
        k->way = "AMD CPPC";
        k->kind = WAY_CPPC;
        k->lowest = byte(capabilities, 0);
        k->base = byte(capabilities, 16);
        k->highest = byte(capabilities, 24);
        k->turbo = k->highest > k->base;
    } else if (!cpu_bit(a, 0x80000007, 0, CPUID_EDX, 7)) {
        k->why_not = "this core announces neither CPPC in force nor hardware P-states";
    } else {
        find_p_states(c, cpu);
    }
}

void control_find_clock(struct control *c)
{
    struct cpu cpu;

    cpu_find(c->changes.access, &cpu);
    if (cpu.vendor == 'I' && cpu.family == 6)
        find_intel(c, &cpu);
    else if ((cpu.vendor == 'A' && cpu.family >= 0x10) || cpu.vendor == 'H')
        find_amd(c, &cpu);
    else
        c->clock.why_not = "no way to set the clock of this core is known";
    if (!c->clock.way && hypervisor(c->changes.access))
        c->clock.why_not = "the clock is the hypervisor's";
}

/* ---- Setting it ---------------------------------------------------------------------------------------- */

static const char *set(struct control *c, const char *name, uint32_t id, uint64_t mask, uint64_t value)
{
    return changes_set(&c->changes, name, id, mask, value);
}

/* Minimum, maximum and desired ratio are the same, and the energy preference is performance. */
static const char *set_hwp(struct control *c, unsigned ratio)
{
    const struct access *a = c->changes.access;
    /* CPUID.06H:EAX[10]: energy preference, [11]: requests for the whole package (SDM vol. 2A, CPUID). */
    const uint64_t mask = HWP_RATIOS | (cpu_bit(a, 6, 0, CPUID_EAX, 10) ? HWP_EPP : 0) |
                          (cpu_bit(a, 6, 0, CPUID_EAX, 11) ? HWP_PACKAGE : 0);

    return set(c, "IA32_HWP_REQUEST", HWP_REQUEST, mask, (uint64_t)ratio * 0x010101);
}

/* For ratios up to the base clock turbo is also disengaged, where the core has it: only then the bit exists. */
static const char *set_perf_ctl(struct control *c, unsigned ratio)
{
    const struct control_clock *k = &c->clock;
    const uint64_t mask = RATIO | (k->turbo ? TURBO_DISENGAGE : 0);

    return set(c, "IA32_PERF_CTL", PERF_CTL, mask,
               (uint64_t)ratio << 8 | (k->turbo && ratio <= k->base ? TURBO_DISENGAGE : 0));
}

/* CPPC_REQ: [7:0] maximum, [15:8] minimum, [23:16] desired, [31:24] energy preference, 0 for performance. */
static const char *set_cppc(struct control *c, unsigned ratio)
{
    return set(c, "CPPC_REQ", CPPC_REQ, 0xffffffff, (uint64_t)ratio * 0x010101);
}

/*
 * Boost clocks lie above P-state 0. They are left on for the highest clock, where the firmware allows them; else off.
 */
static const char *set_p_state(struct control *c, unsigned state, bool boost)
{
    const size_t mark = c->changes.count;
    const char *why = NULL;

    if (c->clock.turbo && !boost)
        why = set(c, "HWCR", HWCR, BOOST_OFF, BOOST_OFF);
    if (!why)
        why = set(c, "PStateControl", P_STATE_CONTROL, P_STATE, state);
    if (why)
        changes_restore(&c->changes, mark);
    return why;
}

static const char *set_p_state_clock(struct control *c, enum clock_aim aim, unsigned mhz)
{
    if (aim != CLOCK_RATIO)
        return set_p_state(c, 0, aim == CLOCK_HIGHEST);
    for (unsigned i = 0; i < CLOCK_STATES; i++)
        if (c->clock.state_hz[i] > (mhz - 0.5) * 1e6 && c->clock.state_hz[i] < (mhz + 0.5) * 1e6)
            return set_p_state(c, i, false);
    return "no P-state of this core has that clock in MHz";
}

const char *control_set_clock(struct control *c, enum clock_aim aim, unsigned ratio)
{
    const struct control_clock *k = &c->clock;

    if (aim != CLOCK_RATIO)
        ratio = aim == CLOCK_FIXED ? k->base : k->highest;
    switch ((enum way)k->kind) {
    case WAY_HWP: return set_hwp(c, ratio);
    case WAY_PERF_CTL: return set_perf_ctl(c, ratio);
    case WAY_CPPC: return set_cppc(c, ratio);
    case WAY_P_STATES: return set_p_state_clock(c, aim, ratio);
    case WAY_NONE: break;
    }
    return k->why_not;
}
