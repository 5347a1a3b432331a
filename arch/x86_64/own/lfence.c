#include "arch/x86_64/own/lfence.h"

#include "arch/x86_64/own/instructions.h"

#define MSR_DE_CFG 0xc0011029
#define DE_CFG_LFENCE_SERIALISES (1u << 1)

/* Families 0FH and 11H have no switch and serialise always; so do cores that say so in CPUID. */
static bool has_switch(void)
{
    const struct cpuid vendor = cpuid(0, 0);
    const uint32_t signature = cpuid(1, 0).eax;
    const unsigned family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
    const bool amd = vendor.ebx == 0x68747541;   /* "Auth" of AuthenticAMD */
    const bool hygon = vendor.ebx == 0x6f677948; /* "Hygo" of HygonGenuine */

    /* CPUID.80000021H:EAX[2], LFENCE always serialising: AMD APM vol. 3, E.4.18. */
    return (amd || hygon) && family >= 0x10 && family != 0x11 && !(cpuid_known(0x80000021, 0).eax >> 2 & 1);
}

void lfence_serialise(struct lfence *l)
{
    *l = (struct lfence){0};
    if (!has_switch())
        return;
    l->found = read_msr(MSR_DE_CFG);
    l->set = l->found;
    l->switchable = true;
    if (l->found & DE_CFG_LFENCE_SERIALISES)
        return;
    l->changed = true;
    write_msr(MSR_DE_CFG, l->found | DE_CFG_LFENCE_SERIALISES);
    l->set = read_msr(MSR_DE_CFG);
}

void lfence_restore(const struct lfence *l)
{
    if (l->changed && l->set != l->found)
        write_msr(MSR_DE_CFG, l->found);
}
