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

/* What the firmware had in the registers that the high half needs, TCR_EL1 and TTBR1_EL1. */
struct high_half {
    uint64_t tcr;
    uint64_t ttbr1;
};

/*
 * Builds the tables, and the stack of windows. `memory_index` is the index in MAIR_EL1 of normal memory, `device_index`
 * that of device memory or -1 where there is none, `large_addresses` TCR_EL1.DS, all as they are in windows. NULL, or
 * the reason; high_half_finish is due either way.
 */
const char *high_half_start(unsigned memory_index, int device_index, bool large_addresses);
/* Frees the tables and the stack. */
void high_half_finish(void);

/*
 * Whether there are tables. False when memory ran out while own_unmap_all built them anew: there can be no window then.
 */
bool high_half_ready(void);
/*
 * Unmaps everything that own_map has mapped, then maps the page around a device's register at that physical address as
 * device memory, until own_unmap_all. NULL, and in *at the register's address in windows; or the reason.
 */
const char *high_half_show_device(uint64_t physical, uintptr_t *at);
/* The top of the stack of windows: its address in the high half. */
uintptr_t high_half_stack(void);

/*
 * Makes the high half invalid while another core is in a window, so that the other core's next fetch or access there
 * faults and ends its window. To be called on the core that booted.
 */
void high_half_withdraw(void);
/* Makes the high half valid again after high_half_withdraw. To be called on the core that booted. */
void high_half_return(void);

/*
 * Switches the high half to our tables, and notes in *found what the firmware had there. To be called on the core in
 * use, at EL1, with interrupts masked.
 */
void high_half_on(struct high_half *found);
/*
 * Switches the high half back to what high_half_on found. To be called on the same core, at EL1, with interrupts
 * masked.
 */
void high_half_off(const struct high_half *found);

#endif
