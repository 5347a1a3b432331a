/*
 * Descriptor tables of our own, beside the firmware's.
 *
 * The GDT is a copy of the firmware's, so that every selector in a segment register stays valid, with
 * our task-state segment behind it. The IDT has all 256 gates. The task-state segment gives stacks of
 * their own to what may strike while the stack pointer is of no use:
 *
 *   exceptions · double fault · NMI · machine check · interrupts
 *
 * Everything is built anew at every load, from what the firmware has then.
 */
#ifndef FATHOM_ARCH_X86_64_OWN_DESCRIPTORS_H
#define FATHOM_ARCH_X86_64_OWN_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/own/instructions.h"

/* Returns why not, or NULL. */
const char *descriptors_start(void *(*pages)(size_t bytes, size_t alignment));
void descriptors_finish(void (*free_pages)(void *base, size_t bytes));

/*
 * Interrupts must be disabled. With `firmware_interrupts`, exceptions come to us and interrupts still
 * go where the firmware sends them.
 */
void descriptors_load(bool firmware_interrupts);
void descriptors_restore(void);
/* Only the IDT, for a fault that has no way back. */
void descriptors_use_firmware_idt(void);

#endif
