/*
 * Reading a flattened device tree (Devicetree Specification 0.4: chapter 5 for the format, 3.8 for cpu nodes; Linux,
 * Documentation/devicetree/bindings/arm/{cpus,psci,cpu-capacity}). These functions call no firmware. Any offset and
 * length in a tree may be wrong.
 */
#ifndef FATHOM_BOOT_UEFI_DEVICETREE_H
#define FATHOM_BOOT_UEFI_DEVICETREE_H

#include <stddef.h>
#include <stdint.h>

#include "arch/own.h"
#include "boot/uefi/pptt.h"
#include "boot/uefi/srat.h"

/* The size in bytes that the tree's header states; 0 when `tree` is no device tree. */
size_t devicetree_bytes(const void *tree);
/*
 * Writes the cores that the tree lists to `out`, up to the first error in it. Returns how many there are; at most
 * `room` are written.
 */
size_t devicetree_cores(const void *tree, size_t bytes, struct listed_core *out, size_t room);
/*
 * The value of the property `name` of the first node, at any depth, whose `compatible` lists that text; it lies in the
 * tree. Sets *length to its bytes, 0 for a property without a value. NULL where there is no such node or property.
 */
const void *devicetree_property(const void *tree, size_t bytes, const char *compatible, const char *name,
                                size_t *length);
/* The instruction that calls PSCI, from the property `method`: "smc" or "hvc"; NULL where there is none. */
const char *devicetree_psci(const void *tree, size_t bytes);
/*
 * Writes to *out Arm's interrupt controller, and the interrupt of the virtual timer. Members that the tree says nothing
 * of are left alone. Addresses are those of the machine, also where the tree translates them on the way to the
 * controller's node.
 */
void devicetree_interrupts(const void *tree, size_t bytes, struct own_interrupts *out);
/*
 * Writes the ranges of memory of which the tree says to which node they belong (Linux,
 * Documentation/devicetree/bindings/numa.txt) to `out`. Returns how many there are; at most `room` are written.
 */
size_t devicetree_memory(const void *tree, size_t bytes, struct srat_memory *out, size_t room);
/* The distance from one node to another, 10 within one, from the tree's distance map; 0: it does not say. */
unsigned devicetree_distance(const void *tree, size_t bytes, uint32_t from, uint32_t to);
/*
 * Makes a copy of a device tree fit to be published, in place: the values of properties that distinguish one machine,
 * its network or its owner from another, or hold a secret, become zeros (devicetree.c lists their names), and so do all
 * bytes that belong to none of the tree's blocks. Returns the size of the tree up to the end of its last block, which
 * its header then states; 0 where the tree is not valid to its end: then it must not be published.
 */
size_t devicetree_strip(uint8_t *tree, size_t bytes);

#endif
