#include "arch/x86_64/cpu.h"

#include <string.h>

#include "arch/x86_64/identify_from.h"

uint32_t cpu_leaf(const struct access *a, uint32_t leaf, uint32_t subleaf, enum cpuid_register r)
{
    uint32_t out[4] = {0};

    a->cpuid(a->context, leaf, subleaf, out);
    return out[r];
}

bool cpu_bit(const struct access *a, uint32_t leaf, uint32_t subleaf, enum cpuid_register r, unsigned bit)
{
    return cpu_leaf(a, leaf, subleaf, r) >> bit & 1;
}

/* For identify_from, which takes CPUID from a function without a context. */
static const struct access *source;

static void read_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    source->cpuid(source->context, leaf, subleaf, out);
}

/* Intel SDM vol. 2A, CPUID, figure 3-6; AMD APM vol. 3, E.3.2: the extended fields count for families 6 and 15 only. */
void cpu_find(const struct access *a, struct cpu *out)
{
    const uint32_t signature = cpu_leaf(a, 1, 0, CPUID_EAX);
    struct identity id;

    *out = (struct cpu){.family = signature >> 8 & 0xf, .model = signature >> 4 & 0xf};
    if (out->family == 6 || out->family == 15)
        out->model += (signature >> 16 & 0xf) << 4;
    if (out->family == 15)
        out->family += signature >> 20 & 0xff;
    switch (cpu_leaf(a, 0, 0, CPUID_EBX)) {
    case 0x756e6547: out->vendor = 'I'; break; /* "Genu" of GenuineIntel */
    case 0x68747541: out->vendor = 'A'; break; /* "Auth" of AuthenticAMD */
    case 0x6f677948: out->vendor = 'H'; break; /* "Hygo" of HygonGenuine */
    default: break;
    }
    out->hybrid = out->vendor == 'I' && cpu_bit(a, 7, 0, CPUID_EDX, 15); /* SDM vol. 2A, CPUID.07H:EDX[15] */

    source = a;
    identify_from(read_cpuid, &id);
    memcpy(out->core, id.core_name, sizeof out->core);
}

bool cpu_warms_up_counters(const struct cpu *cpu)
{
    return !strcmp(cpu->core, "nehalem") || !strcmp(cpu->core, "westmere");
}
