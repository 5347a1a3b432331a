/* Finding an ACPI table (ACPI specification 6.5, 5.2.5 to 5.2.8), and reading from some. */
#include "boot/uefi/acpi.h"

#include <efi.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "boot/uefi/firmware.h"
#include "boot/uefi/pptt.h"
#ifdef __aarch64__
#include "arch/aarch64/registers.h"
#endif

/* More than any table has; a length beyond it is damaged. */
enum { MOST_BYTES = 16 << 20 };

struct __attribute__((packed)) root_pointer {
    char signature[8];
    uint8_t checksum;
    char oem[6];
    uint8_t revision;
    uint32_t rsdt;
    uint32_t length;
    uint64_t xsdt;
};

static bool sums_to_zero(const void *table, size_t bytes)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < bytes; i++)
        sum = (uint8_t)(sum + ((const uint8_t *)table)[i]);
    return sum == 0;
}

bool acpi_good(const struct acpi_header *table)
{
    return table->length >= sizeof *table && table->length <= MOST_BYTES && sums_to_zero(table, table->length);
}

const struct acpi_header *acpi_entry(size_t index)
{
    static const EFI_GUID acpi_2 = ACPI_20_TABLE_GUID, acpi_1 = ACPI_TABLE_GUID;
    const struct root_pointer *root = firmware_table(&acpi_2);
    if (!root)
        root = firmware_table(&acpi_1);
    if (!root || memcmp(root->signature, "RSD PTR ", 8) != 0)
        return NULL;

    /* Entries are 8 bytes in the XSDT and 4 in the RSDT, right behind the header, unaligned. */
    bool extended = root->revision >= 2 && root->xsdt;
    size_t entry_bytes = extended ? 8 : 4;
    const struct acpi_header *list = (const void *)(uintptr_t)(extended ? root->xsdt : root->rsdt);
    if (!list || list->length < sizeof *list || !sums_to_zero(list, list->length))
        return NULL;
    for (size_t at = sizeof *list; at + entry_bytes <= list->length; at += entry_bytes) {
        uint64_t address = 0;
        memcpy(&address, (const uint8_t *)list + at, entry_bytes);
        const struct acpi_header *table = (const void *)(uintptr_t)address;
        if (table && index-- == 0) /* an empty entry counts as none */
            return table;
    }
    return NULL;
}

const void *acpi_table(const char signature[4], size_t least)
{
    const struct acpi_header *table;

    for (size_t i = 0; (table = acpi_entry(i)); i++)
        if (!memcmp(table->signature, signature, 4) && table->length >= least && acpi_good(table))
            return table;
    return NULL;
}

size_t acpi_caches(struct identity_cache *out, size_t room)
{
#ifdef __aarch64__
    const struct acpi_header *madt = acpi_table("APIC", sizeof *madt), *pptt = acpi_table("PPTT", sizeof *pptt);
    uint32_t uid;

    if (madt && pptt && madt_processor(madt, madt->length, READ(MPIDR_EL1), &uid))
        return pptt_caches(pptt, pptt->length, uid, out, room);
#else
    (void)out, (void)room; /* CPUID describes the caches of x86-64 */
#endif
    return 0;
}
