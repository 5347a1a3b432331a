/* What memory the machine has, pages for ourselves, and the buffer that is measured with. */
#ifndef FATHOM_BOOT_UEFI_MEMORY_H
#define FATHOM_BOOT_UEFI_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/own.h"
#include "lib/base/record.h"

/*
 * Allocates zeroed pages of type EfiLoaderData, at least `bytes` bytes, at a multiple of `alignment`, a power of two.
 * NULL when memory is short. memory_free frees them.
 */
void *memory_pages(size_t bytes, size_t alignment);
/* Frees what memory_pages has allocated: its address, and the size that was asked for. */
void memory_free(void *base, size_t bytes);
/* Bytes of memory that the firmware has not allocated; 0 when it does not say. */
uint64_t memory_free_bytes(void);
/*
 * All RAM that may be mapped as cacheable memory, in ascending ranges, as own_services.ram takes it, and in *count how
 * many; for the caller to free. NULL when memory is short or the firmware does not give its memory map.
 */
struct own_range *memory_ram(size_t *count);
/*
 * Adds the firmware's memory map to the open array of a record: an array for each range with its type, start, pages and
 * attributes; none when the firmware does not give it.
 */
void memory_describe_map(struct record *r);
/*
 * Takes the one large contiguous buffer, of `wanted_mib` MiB or, with MEMORY_ALL, as large as possible beside what the
 * firmware needs. Where there is less, it is smaller, with a warning unless MEMORY_ALL was wanted; there may be none.
 * It lies in the NUMA node of that core (struct machine_core.id), where ACPI says which memory that is and some of it
 * is free.
 */
void memory_start(size_t wanted_mib, uint64_t core);
/* Sets *node to the NUMA node in which the buffer lies; false where ACPI does not say. */
bool memory_node(uint32_t *node);
/*
 * Takes `bytes` bytes, whole pages of 4 KiB, of that node's free memory, at a multiple of `alignment`, with GUARD_BYTES
 * before and behind for guards. NULL where there is no such piece, or the firmware would keep too little.
 */
uint8_t *memory_take_node(size_t bytes, size_t alignment, uint32_t node);
/* Gives back what memory_take_node has taken, by its address and size. */
void memory_give_back(uint8_t *base, size_t bytes);
/* Gives the buffer back to the firmware. */
void memory_finish(void);
/*
 * The address of the buffer, which is its physical address too, and in *bytes its size; NULL and 0 where there is none.
 * The GUARD_BYTES before it belong to us as well, for a guard.
 */
uint8_t *memory_buffer(size_t *bytes);
/*
 * Adds the object `memory` to a record: the sizes of RAM, free memory and buffer, and the nodes of the buffer and of
 * that core (struct machine_core.id).
 */
void memory_describe(struct record *r, uint64_t core);

#endif
