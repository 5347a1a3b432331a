/*
 * Lets the virtual timer's interrupt reach the core that booted, where the firmware does not: by the interrupt
 * controller that services->interrupts describes, or as an FIQ on Apple's cores.
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_DELIVERY_H
#define FATHOM_ARCH_AARCH64_OWN_DELIVERY_H

#include <stddef.h>

#include "arch/own.h"

/*
 * Makes the interrupt arrive at the core that booted, which is in use. NULL when it should arrive now, else why it
 * cannot be made to; delivery_finish is due either way. It may unmap what own_map has mapped.
 */
const char *delivery_start(void);
/* Restores what delivery_start has changed, if anything. It may unmap what own_map has mapped. */
void delivery_finish(void);
/*
 * Writes the registers that delivery_start has changed to `out`, with their changed bits as they were found. Returns
 * how many, at most `room`.
 */
size_t delivery_values(struct own_value *out, size_t room);

#endif
