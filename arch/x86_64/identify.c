/*
 * What an x86-64 core says of itself: CPUID, which works in any privilege.
 *
 * Sources: Intel SDM vol. 2A, CPUID; AMD APM vol. 3, appendix E; for the hypervisor leaves VMware, KB
 * 1009458, and its proposal to others, lwn.net/Articles/301888.
 */
#include "arch/identify.h"

#include <cpuid.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "arch/x86_64/identify_caches.h"
#include "arch/x86_64/identify_core_name.h"
#include "arch/x86_64/identify_cpuid.h"
#include "arch/x86_64/identify_from.h"

/*
 * The crystal's frequency in Hz of cores that do not report it in leaf 15H, by their signature; 0: not known. Intel SDM
 * vol. 3B, 19.7.3, "Determining the Processor Base Frequency"; of Denverton, Linux, arch/x86/kernel/tsc.c.
 *
 * The SDM has 25 MHz for Xeon Scalable, 06_55H, but the Xeon W and Core X of that model have 24 MHz, and servers slow
 * theirs down by a quarter of a percent against interference (Linux, commit b51120309348). So there is no row for it,
 * and its time stamp is compared with another clock.
 */
static uint32_t crystal_hz(cpuid_source *ask)
{
    uint32_t r[4];

    ask(1, 0, r);
    switch (r[EAX] & 0x0fff0ff0) { /* without stepping and type */
    case 0x406e0:                  /* 6th and 7th generation, whose later steppings are of the 8th and 9th */
    case 0x506e0:
    case 0x806e0:
    case 0x906e0: return 24000000;
    case 0x506c0: return 19200000; /* Goldmont */
    case 0x506f0: return 25000000; /* Denverton */
    default: return 0;
    }
}

static size_t declared_ticks(cpuid_source *ask, const char *hypervisor, struct identity_tick out[IDENTITY_TICKS])
{
    uint32_t r[4];
    size_t count = 0;

    /*
     * The hypervisor's leaf is preferred, since leaf 15H may be the host's. Only for these two hypervisors leaf
     * 40000010H holds the frequency of the time-stamp counter in kHz.
     */
    if ((strcmp(hypervisor, "VMwareVMware") == 0 || strcmp(hypervisor, "KVMKVMKVM") == 0) &&
        cpuid_last_leaf(ask, CPUID_HYPERVISOR) >= 0x40000010) {
        ask(0x40000010, 0, r);
        if (r[EAX] != 0)
            out[count++] = (struct identity_tick){"cpuid.40000010", 1e3 * r[EAX], false};
    }
    if (cpuid_last_leaf(ask, 0) < 0x15)
        return count;
    /* Leaf 15H: crystal in Hz (ECX) times ratio (EBX / EAX). */
    ask(0x15, 0, r);
    const uint32_t crystal = r[ECX] != 0 ? r[ECX] : cpuid_vendor(ask) == 'I' ? crystal_hz(ask) : 0;
    if (r[EAX] == 0 || r[EBX] == 0)
        return count;
    if (crystal != 0)
        out[count++] = (struct identity_tick){r[ECX] != 0 ? "cpuid.15" : "cpuid.15 and the crystal of this model",
                                              (double)crystal * r[EBX] / r[EAX], false};
    /* The time stamp runs at the base frequency, which is given in whole MHz: 4008 as 4000. */
    if (cpuid_last_leaf(ask, 0) >= 0x16) {
        ask(0x16, 0, r);
        if ((r[EAX] & 0xffff) != 0)
            out[count++] = (struct identity_tick){"cpuid.16", 1e6 * (r[EAX] & 0xffff), true};
    }
    return count;
}

static void tick_frequency(cpuid_source *ask, struct identity *id)
{
    struct identity_tick ticks[IDENTITY_TICKS];

    if (declared_ticks(ask, id->hypervisor, ticks) == 0)
        return;
    id->tick_hz = ticks[0].hz;
    id->tick_rounded = ticks[0].rounded;
    id->tick_source = ticks[0].source;
}

void identify_from(cpuid_source *ask, struct identity *id)
{
    uint32_t brand[12] = {0};
    uint32_t r[4] = {0};

    *id = (struct identity){0};
    (void)snprintf(id->core_name, sizeof(id->core_name), "%s", identify_core_name(ask));

    if (cpuid_last_leaf(ask, CPUID_EXTENDED) >= 0x80000004) {
        for (uint32_t i = 0; i < 3; i++)
            ask(0x80000002 + i, 0, brand + (size_t)4 * i);
        cpuid_text(id->model, sizeof(id->model), brand, 12);
    }
    if (cpuid_last_leaf(ask, CPUID_HYPERVISOR) != 0) {
        ask(CPUID_HYPERVISOR, 0, r);
        cpuid_text(id->hypervisor, sizeof(id->hypervisor), &r[EBX], 3);
        if (id->hypervisor[0] == 0)
            (void)snprintf(id->hypervisor, sizeof(id->hypervisor), "unnamed");
    }
    /* QEMU's translator, target/i386/cpu.c. */
    id->emulator = strcmp(id->hypervisor, "TCGTCGTCGTCG") == 0;
    tick_frequency(ask, id);
}

size_t identify_ticks_from(cpuid_source *ask, struct identity_tick out[IDENTITY_TICKS])
{
    struct identity id;

    identify_from(ask, &id);
    return declared_ticks(ask, id.hypervisor, out);
}

/*
 * Leaves that have subleaves, selected by ECX, with the last one that is read; subleaves that are all zero are left
 * out.
 */
static const struct {
    uint32_t leaf;
    uint32_t last;
} subleaves[] = {
    {0x04, 7}, {0x07, 2}, {0x0d, 18}, {0x0f, 1}, {0x10, 5}, {0x12, 4}, {0x14, 1},       {0x17, 3},
    {0x18, 7}, {0x1b, 3}, {0x1d, 1},  {0x20, 0}, {0x23, 5}, {0x24, 1}, {0x8000001d, 4}, {0x80000020, 4},
};

/* Bits that differ between the cores of a machine, or depend on what the system has enabled. */
static const struct {
    uint32_t leaf;
    uint32_t subleaf;
    unsigned which;
    uint32_t bits;
} volatile_bits[] = {
    {0x00000001, 0, EBX, 0xff000000}, /* initial APIC id */
    {0x00000001, 0, ECX, 1u << 27},   /* OSXSAVE follows CR4 */
    {0x00000007, 0, ECX, 1u << 4},    /* OSPKE follows CR4 */
    {0x0000000d, 0, EBX, UINT32_MAX}, /* size of what XCR0 enables */
    {0x0000000d, 1, EBX, UINT32_MAX}, /* and IA32_XSS */
    {0x8000001e, 0, EAX, UINT32_MAX}, /* extended APIC id */
    {0x8000001e, 0, EBX, 0x000000ff}, /* core id */
    {0x8000001e, 0, ECX, 0x000000ff}, /* node id */
};

/* Topology leaves hold the x2APIC id of the core, and nothing about how the core is built. */
static bool is_topology(uint32_t leaf)
{
    return leaf == 0x0b || leaf == 0x1f || leaf == 0x80000026;
}

static size_t raw_leaf(cpuid_source *ask, uint32_t leaf, uint32_t subleaf, struct identity_value *out, size_t room)
{
    static const char *const register_names[4] = {"eax", "ebx", "ecx", "edx"};
    uint32_t r[4];

    ask(leaf, subleaf, r);
    if (room < 4 || (subleaf > 0 && (r[EAX] | r[EBX] | r[ECX] | r[EDX]) == 0))
        return 0;
    for (size_t i = 0; i < sizeof(volatile_bits) / sizeof(volatile_bits[0]); i++)
        if (volatile_bits[i].leaf == leaf && volatile_bits[i].subleaf == subleaf)
            r[volatile_bits[i].which] &= ~volatile_bits[i].bits;
    (void)snprintf(out[0].name, sizeof(out[0].name), "cpuid.%08x.%u.%s", leaf, subleaf, register_names[0]);
    for (unsigned i = 0; i < 4; i++) {
        memcpy(out[i].name, out[0].name, sizeof(out[0].name));
        memcpy(out[i].name + strlen(out[0].name) - 3, register_names[i], 3);
        out[i].value = r[i];
    }
    return 4;
}

size_t identify_raw_from(cpuid_source *ask, struct identity_value *out, size_t room)
{
    static const uint32_t ranges[] = {0, CPUID_HYPERVISOR, CPUID_EXTENDED};
    size_t used = 0;

    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        const uint32_t last = cpuid_last_leaf(ask, ranges[i]);

        /* No known range has more than 64 leaves; a larger number is an error of the processor or hypervisor. */
        for (uint32_t leaf = ranges[i]; leaf <= last && leaf < ranges[i] + 64; leaf++) {
            uint32_t last_subleaf = 0;

            if (is_topology(leaf))
                continue;
            for (size_t j = 0; j < sizeof(subleaves) / sizeof(subleaves[0]); j++)
                if (subleaves[j].leaf == leaf)
                    last_subleaf = subleaves[j].last;
            for (uint32_t subleaf = 0; subleaf <= last_subleaf; subleaf++)
                used += raw_leaf(ask, leaf, subleaf, out + used, room - used);
        }
    }
    return used;
}

/*
 * Intel: CPUID.07H:EDX[15], a hybrid processor, and then the kind of this core in CPUID.1AH:EAX[31:24] (SDM vol. 2A,
 * CPUID). AMD: CPUID Fn8000_0026_EAX[30], HeterogeneousCoreTopology, and then EBX[31:28], 0 performance, 1 efficiency
 * (APM vol. 3, E.4.23).
 */
void identify_core_type_from(cpuid_source *ask, char out[4])
{
    uint32_t r[4] = {0};
    const char vendor = cpuid_vendor(ask);

    out[0] = out[1] = 0;
    if (vendor == 'I' && cpuid_last_leaf(ask, 0) >= 0x1a) {
        ask(7, 0, r);
        if (!(r[EDX] >> 15 & 1))
            return;
        ask(0x1a, 0, r);
        out[0] = r[EAX] >> 24 == 0x40 ? 'P' : r[EAX] >> 24 == 0x20 ? 'E' : 0;
    } else if (vendor == 'A' && cpuid_last_leaf(ask, CPUID_EXTENDED) >= 0x80000026) {
        ask(0x80000026, 0, r);
        if (r[EAX] >> 30 & 1)
            out[0] = r[EBX] >> 28 == 0 ? 'P' : r[EBX] >> 28 == 1 ? 'E' : 0;
    }
}

static void ask_this_core(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    __cpuid_count(leaf, subleaf, out[EAX], out[EBX], out[ECX], out[EDX]);
}

/*
 * What XCR0 enables, of what there is: 2 AVX, 5 to 7 AVX-512 (Intel SDM vol. 1, 13.3; CPUID.01H:ECX[27] OSXSAVE, [28]
 * AVX; CPUID.07H:EBX[16] AVX512F).
 */
unsigned identify_vector_bits(void)
{
    uint32_t one[4], seven[4] = {0}, low, high;

    ask_this_core(1, 0, one);
    if (!(one[ECX] >> 27 & 1) || !(one[ECX] >> 28 & 1))
        return 128;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 0x6) != 0x6)
        return 128;
    if (cpuid_last_leaf(ask_this_core, 0) >= 7)
        ask_this_core(7, 0, seven);
    return (seven[EBX] >> 16 & 1) && (low & 0xe0) == 0xe0 ? 512 : 256;
}

unsigned identify_scalable_bits(void)
{
    return 0; /* this ISA has none */
}

size_t identify_zero_bytes(void)
{
    return 0; /* nor any that is not privileged or of one vendor only */
}

void identify_may_trap(bool may)
{
    (void)may; /* CPUID works at every privilege level */
}

void identify(struct identity *id)
{
    identify_from(ask_this_core, id);
}

size_t identify_ticks(struct identity_tick out[IDENTITY_TICKS])
{
    return identify_ticks_from(ask_this_core, out);
}

void identify_core_type(char out[4])
{
    identify_core_type_from(ask_this_core, out);
}

size_t identify_raw(struct identity_value *out, size_t room)
{
    return identify_raw_from(ask_this_core, out, room);
}

size_t identify_caches(struct identity_cache *out, size_t room, bool privileged)
{
    (void)privileged; /* CPUID returns the same at every privilege level */
    return identify_caches_from(ask_this_core, out, room);
}

size_t identify_tlbs(struct identity_tlb *out, size_t room)
{
    return identify_tlbs_from(ask_this_core, out, room);
}
