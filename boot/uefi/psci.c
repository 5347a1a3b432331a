/*
 * Other cores of AArch64: those that the MADT lists, by PSCI, which the FADT says how to call (ACPI specification 6.5,
 * 5.2.12.14 and 5.2.9, "ARM boot architecture flags"). Firmware has no protocol for it that could be relied upon.
 */
#ifdef __aarch64__
#include "boot/uefi/uefi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/aarch64/own/secondary.h"
#include "arch/aarch64/registers.h"
#include "boot/uefi/pptt.h"

#include "boot/uefi/cores_private.h"

enum { FADT_ARM_BOOT_ARCH = 129, PSCI_COMPLIANT = 1 << 0, PSCI_USE_HVC = 1 << 1, TABLE_LENGTH = 4 };
static const uint64_t AFFINITY = 0xff00ffffff; /* MPIDR_EL1's Aff3, Aff2, Aff1, Aff0 */

static enum psci_conduit conduit(void)
{
    const uint8_t *fadt = acpi_table("FACP", FADT_ARM_BOOT_ARCH + 2);
    uint16_t flags = 0;

    if (fadt)
        memcpy(&flags, fadt + FADT_ARM_BOOT_ARCH, sizeof flags);
    return !(flags & PSCI_COMPLIANT) ? PSCI_NONE : flags & PSCI_USE_HVC ? PSCI_HVC : PSCI_SMC;
}

/* All cores, the booted one among them; to be freed. NULL where there is no list. */
static struct madt_core *list(size_t *count)
{
    const uint8_t *madt = acpi_table("APIC", TABLE_LENGTH + 4);
    struct madt_core *all = NULL;
    uint32_t bytes;

    *count = 0;
    if (!madt)
        return NULL;
    memcpy(&bytes, madt + TABLE_LENGTH, sizeof bytes);
    size_t room = madt_cores(madt, bytes, NULL, 0);
    all = calloc(room ? room : 1, sizeof *all);
    if (all)
        *count = madt_cores(madt, bytes, all, room);
    return all;
}

/* The firmware's classes as types: "P" and "E" are the highest and the lowest, "M" between them; none where all are alike. */
static void set_type(char type[4], const struct madt_core *all, size_t count, unsigned efficiency)
{
    unsigned lowest = ~0u, highest = 0;

    for (size_t i = 0; i < count; i++) {
        lowest = all[i].efficiency < lowest ? all[i].efficiency : lowest;
        highest = all[i].efficiency > highest ? all[i].efficiency : highest;
    }
    if (lowest < highest)
        type[0] = efficiency == highest ? 'P' : efficiency == lowest ? 'E' : 'M';
}

static uint64_t booted(void)
{
    return READ(MPIDR_EL1) & AFFINITY;
}

size_t others_list(struct machine_core *out, size_t room)
{
    const bool no_psci = conduit() == PSCI_NONE;
    size_t total, count = 1;
    struct madt_core *all = list(&total);

    if (room > 0)
        out[0] = (struct machine_core){.id = booted()};
    for (size_t i = 0; i < total; i++) {
        const bool first = all[i].affinity == booted();
        const size_t at = first ? 0 : count++;

        if (at >= room)
            continue;
        out[at] = (struct machine_core){
            .id = all[i].affinity,
            .why_not = first             ? NULL
                       : !all[i].enabled ? "the firmware has disabled it"
                       : all[i].parked   ? "it is parked by the ACPI parking protocol, which is not supported"
                       : no_psci         ? "the firmware offers no PSCI (FADT)"
                                         : NULL,
        };
        set_type(out[at].type, all, total, all[i].efficiency);
    }
    free(all);
    return count;
}

const char *others_reach(uint64_t id, own_runner **runner)
{
    const char *why = secondary_start(conduit(), id);

    if (!why)
        *runner = secondary_run;
    return why;
}

void others_leave(uint64_t id)
{
    const char *why = secondary_stop();

    if (why)
        warn("cores", "the core with affinity 0x%llx could not be given back: %s", (unsigned long long)id, why);
}

/* PSCI's word on each. */
const char *others_parked(void)
{
    static char text[80];
    size_t count, others = 0, off = 0;
    const struct machine_core *all = machine_cores(&count);

    for (size_t i = 1; i < count; i++) {
        if (i == machine_info()->core || all[i].why_not)
            continue;
        others++;
        off += secondary_is_off(conduit(), all[i].id);
    }
    if (conduit() == PSCI_NONE)
        return "as the firmware left them: it offers no PSCI (FADT)";
    snprintf(text, sizeof text, "%zu of %zu off, by PSCI%s", off, others,
             machine_info()->core ? "; the one that booted waits" : "");
    return text;
}
#endif
