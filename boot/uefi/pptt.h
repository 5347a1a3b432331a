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
/* A core as the MADT lists it. */
struct madt_core {
    uint64_t affinity;   /* of MPIDR_EL1 */
    unsigned efficiency; /* class: the larger, the faster and the hungrier */
    bool enabled;        /* it can be used, or at least be switched on (online capable) */
    bool parked; /* by the parking protocol: it waits at a mailbox of the firmware's, and PSCI does not know it */
};

/* The cores that it lists. Returns how many there are; at most room are written. */
size_t madt_cores(const void *madt, size_t bytes, struct madt_core *out, size_t room);
/* The caches of that processor, from its own out to those that it shares. Returns how many; at most room. */
size_t pptt_caches(const void *pptt, size_t bytes, uint32_t uid, struct identity_cache *out, size_t room);

#endif
