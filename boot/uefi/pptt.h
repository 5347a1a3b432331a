/* Caches in ACPI's tables. Pure: tables in, caches out. */
#ifndef FATHOM_BOOT_UEFI_PPTT_H
#define FATHOM_BOOT_UEFI_PPTT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/identify.h"

/*
 * The ACPI processor UID of the core with that MPIDR_EL1, from the MADT (`bytes` long, its header's length checked
 * already). False when it lists no such core.
 */
bool madt_processor(const void *madt, size_t bytes, uint64_t mpidr, uint32_t *uid);
/* A core as firmware's tables list it. */
struct listed_core {
    uint64_t affinity;   /* of MPIDR_EL1 */
    unsigned rank;       /* among unlike cores the larger, the faster: MADT's efficiency class, the tree's capacity */
    const char *why_not; /* it cannot be started, by the table's word; NULL where PSCI starts it */
};

/* The cores that the MADT lists. Returns how many there are; at most room are written. */
size_t madt_cores(const void *madt, size_t bytes, struct listed_core *out, size_t room);
/* The caches of that processor, from its own out to those that it shares. Returns how many; at most room. */
size_t pptt_caches(const void *pptt, size_t bytes, uint32_t uid, struct identity_cache *out, size_t room);

#endif
