/*
 * Descriptor tables of our own, beside the firmware's.
 *
 * The GDT is a copy of the firmware's, so that every selector in a segment register stays valid, with our task-state
 * segment after it. The IDT has all 256 gates. Since a kernel may have destroyed the stack pointer, the task-state
 * segment has a stack of its own for each of these:
 *
 *   exceptions · double fault · NMI · machine check · interrupts
 *
 * Everything is built anew at every load, from the firmware's tables at that time.
 */
#ifndef FATHOM_ARCH_X86_64_OWN_DESCRIPTORS_H
#define FATHOM_ARCH_X86_64_OWN_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/own/instructions.h"

/* Allocates the tables by `pages` (struct own_services); loads nothing. NULL, or why there can be no tables. */
const char *descriptors_start(void *(*pages)(size_t bytes, size_t alignment));
/* Frees the tables by `free_pages`. They must not be loaded. */
void descriptors_finish(void (*free_pages)(void *base, size_t bytes));

/*
 * Loads our tables on the core that runs this; interrupts must be disabled. The IDT points at `stubs`: VECTORS of them,
 * VECTOR_STUB_BYTES apart. With `firmware_interrupts` it does so for exceptions only, and interrupts still go to the
 * firmware's handlers.
 */
void descriptors_load(const char *stubs, bool firmware_interrupts);
/*
 * Loads the firmware's tables again, as they were at the last descriptors_load, on the same core; interrupts must be
 * disabled. The task register stays ours where the firmware's names no task-state segment.
 */
void descriptors_restore(void);
/* Loads only the firmware's IDT: for an exception outside of guarded_run, so that the firmware reports it. */
void descriptors_use_firmware_idt(void);

#endif
