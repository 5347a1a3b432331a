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

struct generic_watchdog {
    uint64_t refresh, control; /* addresses of the frames */
    uint32_t (*read)(uint64_t address);
    void (*write)(uint64_t address, uint32_t value);
    uint64_t offset; /* WOR as found */
    bool wide;       /* WOR has 48 bits instead of 32 */
    char why[120];
};

/* The first watchdog in a GTDT that is not the secure world's; false where there is none. Sets the frames. */
bool generic_watchdog_listed(struct generic_watchdog *w, const void *gtdt, size_t bytes);
/*
 * Starts it: the first half of its time is so many seconds, counted by the system counter of `hz`. NULL, or why not:
 * then nothing was changed. The sentence stays valid as long as `w`.
 */
const char *generic_watchdog_arm(struct generic_watchdog *w, unsigned seconds, double hz);
/* Starts the time again. */
void generic_watchdog_refresh(const struct generic_watchdog *w);
/* Ends it and puts its time back. */
void generic_watchdog_disarm(struct generic_watchdog *w);
/* The registers that were written, as found and as they are while it is armed. Returns how many; at most room. */
size_t generic_watchdog_registers(const struct generic_watchdog *w, struct watchdog_register *out, size_t room);

#endif
