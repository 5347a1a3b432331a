/* Caches, cores and their interrupt controller in ACPI's tables. These functions call no firmware. */
#ifndef FATHOM_BOOT_UEFI_PPTT_H
#define FATHOM_BOOT_UEFI_PPTT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/identify.h"
#include "arch/own.h"

/*
 * Sets *uid to the ACPI processor UID of the core with that MPIDR_EL1, from the MADT, which is `bytes` long. False when
 * the MADT lists no such core.
 */
bool madt_processor(const void *madt, size_t bytes, uint64_t mpidr, uint32_t *uid);
/* A core as the firmware's tables list it. */
struct listed_core {
    uint64_t affinity; /* of MPIDR_EL1 */
    unsigned rank;     /* larger for faster cores: the efficiency class in the MADT, the capacity in the device tree */
    const char *why_not; /* why it cannot be started; NULL where PSCI starts it, or its spin table */
    bool has_node;       /* the device tree says to which node it belongs (NUMA); of ACPI that is in the SRAT */
    uint32_t node;
    uint64_t release; /* where it waits for the address of its first instruction (spin table); 0: nowhere */
};

/*
 * Writes the cores that the MADT, `bytes` long, lists to `out`. Returns how many there are; at most `room` are written.
 */
size_t madt_cores(const void *madt, size_t bytes, struct listed_core *out, size_t room);
/*
 * Writes to *out the interrupt controller of the core with that MPIDR_EL1, from the MADT, which is `bytes` long; *out
 * is left alone where that lists no distributor or not this core, and gic_version becomes 0 where its version is
 * unclear.
 */
void madt_interrupts(const void *madt, size_t bytes, uint64_t mpidr, struct own_interrupts *out);
/*
 * The number of the virtual timer's interrupt in the GTDT (ACPI specification 6.5, 5.2.25), which is `bytes` long; 0:
 * none.
 */
unsigned gtdt_virtual_timer(const void *gtdt, size_t bytes);
/*
 * Writes the caches of the processor with that UID to `out`, from its own to those that it shares with all others, from
 * the PPTT, which is `bytes` long. Returns how many, at most `room`.
 */
size_t pptt_caches(const void *pptt, size_t bytes, uint32_t uid, struct identity_cache *out, size_t room);

#endif
