/* What memory the machine has, pages for ourselves, and the buffer that is measured with. */
#ifndef FATHOM_BOOT_UEFI_MEMORY_H
#define FATHOM_BOOT_UEFI_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/own.h"
#include "lib/base/record.h"

/* Zeroed pages of type EfiLoaderData, aligned; NULL when memory is short. memory_free takes their address and size. */
void *memory_pages(size_t bytes, size_t alignment);
void memory_free(void *base, size_t bytes);
/* Bytes that the firmware has not allocated; 0 when it does not say. */
uint64_t memory_free_bytes(void);
/*
 * All RAM that may be mapped as cacheable memory, ascending, as own_services.ram takes it. To be freed; NULL when
 * memory is short or the firmware does not give its memory map.
 */
struct own_range *memory_ram(size_t *count);
/* Adds the firmware's memory map to an array: a row for each range, none when the firmware does not give it. */
void memory_describe_map(struct record *r);
/*
 * Takes the one large contiguous buffer, MEMORY_ALL for all there is; warns when it is smaller than wanted. It is of the
 * node of that core (struct machine_core.id), where ACPI says which memory that is.
 */
void memory_start(size_t wanted_mib, uint64_t core);
/* The node of the buffer; false where ACPI does not say. */
bool memory_node(uint32_t *node);
/* Gives the buffer back to the firmware. */
void memory_finish(void);
/*
 * The buffer's address, which is its physical address too, and its size in bytes; NULL and 0 where there is none. The
 * GUARD_BYTES before it belong to us as well.
 */
uint8_t *memory_buffer(size_t *bytes);
/* Adds the sizes of RAM and free memory, the buffer, and the nodes of the buffer and of that core, as an object. */
void memory_describe(struct record *r, uint64_t core);

#endif
