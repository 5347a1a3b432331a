#include "boot/uefi/interrupts.h"

#include <string.h>

#include "boot/uefi/acpi.h"
#include "boot/uefi/devicetree.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/pptt.h"

#ifdef __aarch64__
#include "arch/aarch64/registers.h"

enum { TABLE_LENGTH = 4, TABLE_LEAST = 44 };

/* The length of an ACPI table, from its header. */
static size_t length_of(const uint8_t *table)
{
    uint32_t bytes;

    memcpy(&bytes, table + TABLE_LENGTH, sizeof bytes);
    return bytes;
}

const struct own_interrupts *interrupts_find(void)
{
    static struct own_interrupts found;
    const uint8_t *madt = acpi_table("APIC", TABLE_LEAST), *gtdt = acpi_table("GTDT", TABLE_LEAST);
    size_t bytes;
    const void *tree = firmware_devicetree(&bytes);

    /* Where no table says it, the number is that of Arm's BSA, 5.2, "PPI assignments". */
    found = (struct own_interrupts){.virtual_timer = 27};
    if (madt)
        madt_interrupts(madt, length_of(madt), READ(MPIDR_EL1), &found);
    if (found.gic_version && gtdt && gtdt_virtual_timer(gtdt, length_of(gtdt)))
        found.virtual_timer = gtdt_virtual_timer(gtdt, length_of(gtdt));
    else if (!found.gic_version && tree)
        devicetree_interrupts(tree, bytes, &found);
    return &found;
}
#else
const struct own_interrupts *interrupts_find(void)
{
    return NULL;
}
#endif
