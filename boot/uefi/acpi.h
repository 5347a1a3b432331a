/* ACPI tables, and the caches that they describe. */
#ifndef FATHOM_BOOT_UEFI_ACPI_H
#define FATHOM_BOOT_UEFI_ACPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/identify.h"

/* How every ACPI table begins (5.2.6). */
struct acpi_header {
    char signature[4];
    uint32_t length;
    uint8_t revision, checksum;
    char oem[6], oem_table[8];
    uint32_t oem_revision, creator, creator_revision;
};

/* The table at that place of the firmware's list, as it is; NULL behind the last one. */
const struct acpi_header *acpi_entry(size_t index);
/* Whether its length is possible and its checksum holds. */
bool acpi_good(const struct acpi_header *table);
/* The table with that signature; NULL when there is none, its checksum is wrong or it is shorter than `least` bytes. */
const void *acpi_table(const char signature[4], size_t least);
/* The caches of the core that runs this, from the PPTT; 0 when there is no PPTT or it does not list this core. */
size_t acpi_caches(struct identity_cache *out, size_t room);

#endif
