/*
 * System resource affinity table (ACPI specification 6.5, 5.2.16): which processors and which memory are near each
 * other. These functions call no firmware; any length and number in a table may be wrong.
 */
#ifndef FATHOM_BOOT_UEFI_SRAT_H
#define FATHOM_BOOT_UEFI_SRAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What identifies a processor: the number of its local APIC, or on AArch64 the ACPI processor UID of its GICC. */
enum srat_processor { SRAT_APIC, SRAT_GICC };

/*
 * Sets *node to the node (proximity domain) of an enabled processor. False where the table, which is `bytes` long, does
 * not list it.
 */
bool srat_node(const void *srat, size_t bytes, enum srat_processor kind, uint32_t processor, uint32_t *node);

/* A range of physical memory, and its node. */
struct srat_memory {
    uint64_t base, bytes;
    uint32_t node;
};
/*
 * Writes the ranges of memory that are enabled, from a table of `bytes` bytes, to `out`. Returns how many there are; at
 * most `room` are written.
 */
size_t srat_memory(const void *srat, size_t bytes, struct srat_memory *out, size_t room);

#endif
