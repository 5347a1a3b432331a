/* The NUMA node of a core, and which memory belongs to which node, from ACPI's SRAT, or from a device tree. */
#ifndef FATHOM_BOOT_UEFI_NODE_H
#define FATHOM_BOOT_UEFI_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/uefi/srat.h"

/* Sets *node to the node of the core with that identifier (struct machine_core.id). False where no table says. */
bool node_of_core(uint64_t core, uint32_t *node);
/*
 * All ranges of memory with their nodes, and in *count how many; for the caller to free. NULL, and 0, where no table
 * says or memory is short.
 */
struct srat_memory *node_memory(size_t *count);

#endif
