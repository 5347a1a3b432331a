/* Speculation as found, and what disturbs without an interrupt (arch/control.h). */
#include "arch/control.h"

#include <string.h>

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/thermal.h"

/* ---- Microcode ------------------------------------------------------------------------------------------ */

/*
 * IA32_BIOS_SIGN_ID, AMD's PATCH_LEVEL. Intel's holds the revision in its upper half after 0 was written to it and
 * CPUID was executed (SDM vol. 3A, 10.11.7.1); AMD's always in its lower half (PPR, MSR0000_008B).
 */
enum { BIOS_SIGN_ID = 0x8b };

bool control_microcode(const struct access *a, uint32_t *revision)
{
    struct cpu cpu;
    uint32_t leaf[4];
    uint64_t value;

    cpu_find(a, &cpu);
    const bool intel = cpu.vendor == 'I';
    if (!cpu.vendor || !a->read(a->context, BIOS_SIGN_ID, &value) || (intel && !a->write(a->context, BIOS_SIGN_ID, 0)))
        return false;
    a->cpuid(a->context, 1, 0, leaf);
    if (!a->read(a->context, BIOS_SIGN_ID, &value))
        return false;
    *revision = (uint32_t)(intel ? value >> 32 : value);
    return *revision != 0;
}

/* ---- Speculation ---------------------------------------------------------------------------------------- */

/*
 * Registers whose bits change what predictors, forwarding and timing do, each where CPUID announces it or the
 * family has it:
 *
 *   IA32_SPEC_CTRL          0 IBRS, 1 STIBP, 2 SSBD, 4 IPRED_DIS_S, 6 RRSBA_DIS_S, 7 PSFD, 8 DDPD_U, 10 BHI_DIS_S
 *                           (Intel SDM vol. 4, table 2-2; AMD APM vol. 2, 3.2.9)
 *   IA32_ARCH_CAPABILITIES  which mitigations the core does not need
 *   IA32_UARCH_MISC_CTL     0 DOITM: instructions take a time that data does not change (SDM vol. 4, table 2-2)
 *   IA32_TSX_CTRL           0, 1: transactions always abort, or are hidden
 *   IA32_MCU_OPT_CTRL       0 RNGDS, 3 FB_CLEAR_DIS, 4 GDS_MITG_DIS: the last one's mitigation slows gathers
 *   EFER                    21 automatic IBRS (AMD APM vol. 2, 3.1.7)
 *   LS_CFG, DE_CFG, BP_CFG  AMD: loads before stores, LFENCE, branch prediction, by family (Linux, kernel/cpu/amd.c)
 *   DE_CFG2                 Zen 2: 1 suppresses prediction of what is no branch
 */
static const struct speculation {
    const char *name;
    uint32_t id;
    char vendor; /* 0: any */
    uint16_t family_from, family_to;
    uint32_t leaf, subleaf; /* announced by this CPUID bit; leaf 0: always there on these families */
    enum cpuid_register r;
    unsigned bit;
} speculation[] = {
    {"IA32_SPEC_CTRL", 0x48, 'I', 0, 0xff, 7, 0, CPUID_EDX, 26},
    {"IA32_SPEC_CTRL", 0x48, 'A', 0, 0xff, 0x80000008, 0, CPUID_EBX, 14},
    {"IA32_ARCH_CAPABILITIES", 0x10a, 'I', 0, 0xff, 7, 0, CPUID_EDX, 29},
    {"IA32_MCU_OPT_CTRL", 0x123, 'I', 0, 0xff, 7, 0, CPUID_EDX, 9}, /* SRBDS_CTRL */
    {"EFER", 0xc0000080, 'A', 0, 0xff, 0, 0, CPUID_EAX, 0},
    {"LS_CFG", 0xc0011020, 'A', 0x15, 0x17, 0, 0, CPUID_EAX, 0},
    {"DE_CFG", 0xc0011029, 'A', 0x10, 0x1a, 0, 0, CPUID_EAX, 0},
    {"BP_CFG", 0xc001102e, 'A', 0x17, 0x1a, 0, 0, CPUID_EAX, 0},
};

/* ARCH_CAPABILITIES announces these by bits of its own: TSX_CTRL 7, DOITM 12 (SDM vol. 4, table 2-2). */
static const struct {
    const char *name;
    uint32_t id;
    unsigned bit;
} by_capabilities[] = {{"IA32_TSX_CTRL", 0x122, 7}, {"IA32_UARCH_MISC_CTL", 0x1b01, 12}};

static void note(const struct access *a, const char *name, uint32_t id, struct control_value *out, size_t room,
                 size_t *count)
{
    if (*count == room)
        return;
    struct control_value *v = &out[(*count)++];
    *v = (struct control_value){.name = name};
    v->readable = a->read(a->context, id, &v->value);
}

size_t control_speculation(const struct access *a, struct control_value *out, size_t room)
{
    struct cpu cpu;
    uint64_t capabilities = 0;
    size_t count = 0;

    cpu_find(a, &cpu);
    const char vendor = cpu.vendor == 'H' ? 'A' : cpu.vendor;
    for (size_t i = 0; i < sizeof speculation / sizeof speculation[0]; i++) {
        const struct speculation *s = &speculation[i];
        if (s->vendor == vendor && cpu.family >= s->family_from && cpu.family <= s->family_to &&
            (!s->leaf || cpu_bit(a, s->leaf, s->subleaf, s->r, s->bit)))
            note(a, s->name, s->id, out, room, &count);
    }
    if (cpu.family == 0x17 && cpu.vendor == 'A')
        note(a, "DE_CFG2", 0xc00110e3, out, room, &count);
    if (vendor == 'I' && cpu_bit(a, 7, 0, CPUID_EDX, 29) && a->read(a->context, 0x10a, &capabilities))
        for (size_t i = 0; i < sizeof by_capabilities / sizeof by_capabilities[0]; i++)
            if (capabilities >> by_capabilities[i].bit & 1)
                note(a, by_capabilities[i].name, by_capabilities[i].id, out, room, &count);
    return count;
}

/* ---- The operation cache ---------------------------------------------------------------------------------- */

/*
 * Bit 5 of IC_CFG, which AMD does not document, switches it off: Zen 5 (Chips and Cheese 2025, Disabling Zen 5's Op
 * Cache; jia.je), Zen 4 (Chips and Cheese 2023, Turning off Zen 4's Op Cache, which names the bit and calls the
 * register the instruction cache's). Whether it has an effect, the experiment shows. No switch of Intel's is known.
 */
const struct control_switch *control_op_cache(const struct access *a)
{
    static const struct control_switch ic_cfg = {.name = "op-cache",
                                                 .text = "operation cache",
                                                 .register_name = "IC_CFG",
                                                 .id = 0xc0011021,
                                                 .hazard = HAZARD_UNDOCUMENTED,
                                                 .scope = SCOPE_CORE,
                                                 .mask = 1 << 5,
                                                 .off = 1 << 5,
                                                 .source = "Chips and Cheese 2023 and 2025"};
    struct cpu cpu;

    cpu_find(a, &cpu);
    return strcmp(cpu.core, "zen4") == 0 || strcmp(cpu.core, "zen5") == 0 ? &ic_cfg : NULL;
}

/* ---- Disturbances ----------------------------------------------------------------------------------------- */

static void add(struct disturbance *d, const char *name, uint64_t value)
{
    d->name[d->count] = name;
    d->value[d->count++] = value;
}

/*
 * How many error banks hold something: IA32_MCG_CAP[7:0] banks, IA32_MCi_STATUS[63] valid (SDM vol. 3B, 16.3;
 * the same on AMD, APM vol. 2, 9.3).
 */
bool control_machine_checks(const struct access *a, uint64_t *count)
{
    uint64_t capability, status;

    *count = 0;
    /* CPUID.01H:EDX[14]: machine check architecture. */
    if (!cpu_bit(a, 1, 0, CPUID_EDX, 14) || !a->read(a->context, 0x179, &capability))
        return false;
    for (uint32_t bank = 0; bank < (capability & 0xff) && bank < 32; bank++)
        if (a->read(a->context, 0x401 + 4 * bank, &status)) /* IA32_MCi_STATUS */
            *count += status >> 63;
    return true;
}

void control_disturbance(const struct access *a, struct disturbance *out)
{
    uint64_t value;
    const bool intel = cpu_leaf(a, 0, 0, CPUID_EBX) == 0x756e6547; /* "Genu" of GenuineIntel */

    *out = (struct disturbance){0};
    /* MSR_SMI_COUNT, from Nehalem on (SDM vol. 4, family tables). */
    if (intel && a->read(a->context, 0x34, &value))
        add(out, "smi", value & 0xffffffff);
    if (intel && cpu_bit(a, 1, 0, CPUID_EDX, 22) && a->read(a->context, MSR_THERM_STATUS, &value)) {
        add(out, "heat", value & THERM_HEAT);
        add(out, "limits", value & THERM_LIMITS);
    }
}
