/* ACPI tables, and the caches that they describe. */
#ifndef FATHOM_BOOT_UEFI_ACPI_H
#define FATHOM_BOOT_UEFI_ACPI_H

#include <stddef.h>

#include "arch/identify.h"

/* The table with that signature; NULL when there is none, its checksum is wrong or it is shorter than `least` bytes. */
const void *acpi_table(const char signature[4], size_t least);
/* The caches of the core that runs this, from the PPTT; 0 when there is no PPTT or it does not list this core. */
size_t acpi_caches(struct identity_cache *out, size_t room);

#endif
