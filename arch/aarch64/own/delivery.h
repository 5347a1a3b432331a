/*
 * Lets the virtual timer's interrupt reach the core that booted, where the firmware does not: by the interrupt
 * controller that services->interrupts describes, or as an FIQ on Apple's cores.
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_DELIVERY_H
#define FATHOM_ARCH_AARCH64_OWN_DELIVERY_H

#include <stddef.h>

#include "arch/own.h"

/* NULL when it should arrive now, else why it cannot be made to. Unmaps what own_map has mapped. */
const char *delivery_start(void);
/* Puts back what delivery_start has changed. Unmaps as well. */
void delivery_finish(void);
/* The bits that are changed, as they were found. Returns how many registers; at most room. */
size_t delivery_values(struct own_value *out, size_t room);

#endif
