/*
 * The high half of the address space: ours alone, through TTBR1_EL1 with its own granule.
 *
 *     0xffffff80 00000000   unmapped: the guard below the stack
 *                + 64 KiB   the window's stack, 64 KiB (one page of the largest granule)
 *                + 128 KiB  unmapped
 *                + 1 GiB    areas, each on a multiple of its page size, unmapped pages between them
 *     0xffffffff ffffffff
 *
 * The low half stays the firmware's TTBR0_EL1; in the EL1 worker (worker.h) it maps RAM to its own addresses.
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

/*
 * Builds the tables. `memory_index` is the index in MAIR_EL1 of normal memory, `device_index` that of device memory or
 * -1 where there is none, `large_addresses` TCR_EL1.DS, all as they are in windows. NULL, or the reason.
 */
const char *high_half_start(unsigned memory_index, int device_index, bool large_addresses);
void high_half_finish(void);

/* False when memory ran out while the tables were built anew: there can be no window then. */
bool high_half_ready(void);
/*
 * Unmaps everything, then maps the page around a device's register as device memory, until own_unmap_all. NULL and the
 * register's address in windows, or the reason.
 */
const char *high_half_show_device(uint64_t physical, uintptr_t *at);
/* The top of the stack of windows. */
uintptr_t high_half_stack(void);

/*
 * To be called on the core that booted while another core is in a window: makes the high half invalid, so that the
 * other core's next fetch or access there faults; and makes it valid again.
 */
void high_half_withdraw(void);
void high_half_return(void);

/* At EL1, with interrupts masked: switches to the high half, and back to what the firmware had there. */
void high_half_on(struct high_half *found);
void high_half_off(const struct high_half *found);

#endif
