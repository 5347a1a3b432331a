/*
 * What ACPI declares of the way from a processor to memory of a node (ACPI specification 6.5): relative distances in the
 * SLIT (5.2.17), latency and bandwidth in the HMAT (5.2.28). These functions call no firmware; any length and number in
 * a table may be wrong.
 */
#ifndef FATHOM_BOOT_UEFI_WAYS_H
#define FATHOM_BOOT_UEFI_WAYS_H

#include <stddef.h>
#include <stdint.h>

/* The distance from one node to another, 10 within one, from a table of `bytes` bytes; 0: it does not say. */
unsigned slit_distance(const void *slit, size_t bytes, uint32_t from, uint32_t to);

/* What the HMAT declares of loads from memory, not from a cache at its side; 0: nothing. */
struct hmat_way {
    double ns, bytes_per_ns;
};
/* From a table of `bytes` bytes of revision 2 or later: the units of revision 1 were read in different ways. */
struct hmat_way hmat_way_of(const void *hmat, size_t bytes, uint32_t from, uint32_t to);

#endif
