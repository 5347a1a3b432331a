/* Caches in ACPI's tables. Pure: tables in, caches out. */
#ifndef FATHOM_BOOT_UEFI_PPTT_H
#define FATHOM_BOOT_UEFI_PPTT_H

#include "arch/identify.h"

/*
 * The ACPI processor UID of the core with that MPIDR_EL1, from the MADT (`bytes` long, its header's length checked
 * already). False when it lists no such core.
 */
bool madt_processor(const void *madt, size_t bytes, uint64_t mpidr, uint32_t *uid);
/* The caches of that processor, from its own out to those that it shares. Returns how many; at most room. */
size_t pptt_caches(const void *pptt, size_t bytes, uint32_t uid, struct identity_cache *out, size_t room);

#endif
