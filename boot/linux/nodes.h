/* NUMA nodes as the kernel shows them, and memory that it takes from one of them. */
#ifndef FATHOM_BOOT_LINUX_NODES_H
#define FATHOM_BOOT_LINUX_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of that node that no process uses now; 0 where the kernel does not say. */
uint64_t nodes_free_bytes(uint32_t node);
/*
 * From now on the kernel takes the frames of these pages, of which none has been accessed, from that node, and from no
 * other. False where it refuses.
 */
bool nodes_bind(void *at, size_t bytes, uint32_t node);
/* Whether all frames of these pages, each of `page_bytes` bytes, belong to that node. */
bool nodes_holds(const void *at, size_t bytes, size_t page_bytes, uint32_t node);

#endif
