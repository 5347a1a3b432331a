/*
 * The high half of the address space: ours alone, through TTBR1_EL1 with its own granule.
 *
 *     0xffffff80 00000000   unmapped: the guard below the stack
 *                + 64 KiB   the window's stack, 64 KiB (one page of the largest granule)
 *                + 128 KiB  unmapped
 *                + 1 GiB    areas, each on a multiple of its page size, unmapped pages between them
 *     0xffffffff ffffffff
 *
 * The low half stays the firmware's TTBR0_EL1, or in the EL1 worker (el2.h) a copy of it.
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_HIGH_HALF_H
#define FATHOM_ARCH_AARCH64_OWN_HIGH_HALF_H

#include <stdbool.h>
#include <stdint.h>

/* What the firmware had in the registers that the high half needs. */
struct high_half {
    uint64_t tcr;
    uint64_t ttbr1;
};

/* The memory type's index in MAIR_EL1 and TCR_EL1.DS as they will be in windows. NULL, or the reason. */
const char *high_half_start(unsigned memory_index, bool large_addresses);
void high_half_finish(void);

/* False when memory ran out while the tables were built anew: there can be no window then. */
bool high_half_ready(void);
/* The top of the stack of windows. */
uintptr_t high_half_stack(void);

/*
 * From the core that booted, while another one is in a window: takes the high half away from under it, so that its
 * next fetch or access there faults; and gives it back.
 */
void high_half_withdraw(void);
void high_half_return(void);

/* At EL1, with interrupts masked: shows the high half, and takes it away again. */
void high_half_on(struct high_half *found);
void high_half_off(const struct high_half *found);

#endif
