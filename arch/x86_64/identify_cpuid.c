#include "arch/x86_64/identify_cpuid.h"

#include <stdbool.h>
#include <string.h>

static bool announces_hypervisor(cpuid_source *ask)
{
    uint32_t r[4];

    ask(1, 0, r); /* CPUID.01H:ECX[31] */
    return r[ECX] >> 31;
}

uint32_t cpuid_last_leaf(cpuid_source *ask, uint32_t range)
{
    uint32_t r[4];

    if (range == CPUID_HYPERVISOR && !announces_hypervisor(ask))
        return 0;
    ask(range, 0, r);
    if (range == CPUID_HYPERVISOR && r[EAX] == 0)
        return CPUID_HYPERVISOR; /* early KVM had that leaf alone: Linux, Documentation/virt/kvm/x86/cpuid.rst */
    return r[EAX] - range <= 0xffff ? r[EAX] : 0;
}

void cpuid_text(char *out, size_t room, const uint32_t *registers, size_t count)
{
    char text[12 * sizeof(registers[0]) + 1] = {0};
    size_t used = 0;

    memcpy(text, registers, count * sizeof(registers[0]));
    for (const char *p = text; *p != 0 && used + 1 < room; p++)
        if (used > 0 || *p != ' ')
            out[used++] = (char)(*p >= ' ' && *p <= '~' ? *p : '?');
    while (used > 0 && out[used - 1] == ' ')
        used--;
    out[used] = 0;
}

char cpuid_vendor(cpuid_source *ask)
{
    uint32_t r[4] = {0};
    char text[13];

    ask(0, 0, r);
    cpuid_text(text, sizeof(text), (const uint32_t[]){r[EBX], r[EDX], r[ECX]}, 3);
    if (strcmp(text, "GenuineIntel") == 0)
        return 'I';
    return strcmp(text, "AuthenticAMD") == 0 || strcmp(text, "HygonGenuine") == 0 ? 'A' : 0;
}
