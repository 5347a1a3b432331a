/*
 * The generic watchdog of Arm's base system architecture, which most servers have: two frames of registers, which the
 * ACPI table GTDT names. Its time runs in two halves; the first ends in an interrupt, the second resets the machine.
 */
#ifndef FATHOM_BOOT_UEFI_GENERIC_WATCHDOG_H
#define FATHOM_BOOT_UEFI_GENERIC_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/uefi/watchdog.h"

/* The watchdog: the caller sets `read` and `write`, which access 32 bits at a physical address. */
struct generic_watchdog {
    uint64_t refresh, control; /* addresses of the frames */
    uint32_t (*read)(uint64_t address);
    void (*write)(uint64_t address, uint32_t value);
    uint64_t offset; /* WOR as found */
    bool wide;       /* WOR has 48 bits instead of 32 */
    char why[120];   /* what generic_watchdog_arm has returned */
};

/*
 * Sets the frames of *w to those of the first watchdog in a GTDT of `bytes` bytes that is not the secure world's and
 * whose frames are whole pages. False where there is none; *w must then not be used.
 */
bool generic_watchdog_listed(struct generic_watchdog *w, const void *gtdt, size_t bytes);
/*
 * Starts the watchdog: the first half of its time lasts so many seconds, counted by the system counter, whose frequency
 * is `hz`. NULL, or why not: then it is off, as it was found, or counts as the firmware has set it. The sentence stays
 * valid as long as *w.
 */
const char *generic_watchdog_arm(struct generic_watchdog *w, unsigned seconds, double hz);
/* Makes the watchdog's time begin again, so that it does not reset the machine. */
void generic_watchdog_refresh(const struct generic_watchdog *w);
/* Stops the watchdog and restores its time as it was found. */
void generic_watchdog_disarm(struct generic_watchdog *w);
/*
 * Writes the registers that generic_watchdog_arm has written to `out`, as found and as they are while it is armed.
 * Returns how many, at most `room`.
 */
size_t generic_watchdog_registers(const struct generic_watchdog *w, struct watchdog_register *out, size_t room);

#endif
