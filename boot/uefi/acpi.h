/* ACPI tables, and the caches that they describe. */
#ifndef FATHOM_BOOT_UEFI_ACPI_H
#define FATHOM_BOOT_UEFI_ACPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/identify.h"

/* How every ACPI table begins (ACPI specification 6.5, 5.2.6). */
struct acpi_header {
    char signature[4];
    uint32_t length;
    uint8_t revision, checksum;
    char oem[6], oem_table[8];
    uint32_t oem_revision, creator, creator_revision;
};

/*
 * The table with that index in the firmware's list, from 0, whether it is damaged or not; NULL where the list has
 * ended, is damaged, or is missing.
 */
const struct acpi_header *acpi_entry(size_t index);
/* Whether the table's length is possible and its checksum holds. */
bool acpi_good(const struct acpi_header *table);
/*
 * The first table with that signature whose checksum holds and that has `least` bytes or more, from its header on; NULL
 * when there is none.
 */
const void *acpi_table(const char signature[4], size_t least);
/*
 * Writes the caches of the core that runs this to `out`, from the PPTT; the MADT says which processor in it that is.
 * Returns how many, at most `room`; 0 where either table is missing or does not list this core, and on x86-64, where
 * CPUID describes them.
 */
size_t acpi_caches(struct identity_cache *out, size_t room);

#endif
