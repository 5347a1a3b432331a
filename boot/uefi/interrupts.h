/* What delivers the timer's interrupt on AArch64. */
#ifndef FATHOM_BOOT_UEFI_INTERRUPTS_H
#define FATHOM_BOOT_UEFI_INTERRUPTS_H

#include "arch/own.h"

/*
 * Finds what delivers the virtual timer's interrupt, in ACPI's tables, else in the device tree; to be called on the
 * core that booted. gic_version is 0 where neither says, and the interrupt's number is then 27 unless the tree has it
 * (Arm's BSA, 5.2). Valid until the next call. NULL on x86-64, where the core's own timer interrupts.
 */
const struct own_interrupts *interrupts_find(void);

#endif
