/*
 * The TCO watchdog of Intel's chipsets: a timer that resets the machine when it has run out twice.
 *
 * Known are ICH6 to the chipsets of the 9 series, and Cannon Lake's and later ones. Not known are those between (Sunrise
 * Point to Comet Lake V, Lewisburg, Denverton), whose NO_REBOOT bit lies behind a bridge that firmware hides, and the
 * Atom systems on a chip.
 */
#ifndef FATHOM_BOOT_UEFI_TCO_H
#define FATHOM_BOOT_UEFI_TCO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/uefi/watchdog.h"

/* How its registers are reached: the image's way is in watchdog.c, the tests have a model. */
struct tco_access {
    uint32_t (*config)(unsigned function, unsigned offset); /* of device 31 on bus 0; all ones where there is none */
    uint16_t (*in)(uint16_t port);
    void (*out)(uint16_t port, uint16_t value);
    uint32_t (*read)(uint64_t address);
    void (*write)(uint64_t address, uint32_t value);
    void (*wait_ms)(unsigned ms);
};

struct tco {
    const struct tco_access *access;
    uint16_t base; /* first port of its registers */
    uint64_t gcs;  /* address of GCS, where NO_REBOOT is its bit 5; 0: NO_REBOOT is bit 0 of TCO1_CNT */
    uint16_t control, timer;
    uint32_t gcs_found;
    bool armed;
    char why[160];
};

/* Finds it; changes nothing. NULL, or why it cannot be used, which stays valid as long as `t`. */
const char *tco_find(struct tco *t, const struct tco_access *access);
/* Starts it: it runs out for the first time after that many seconds. NULL, or why not: then all is as it was found. */
const char *tco_arm(struct tco *t, unsigned seconds);
/* Starts the time again. */
void tco_refresh(const struct tco *t);
/* Ends it and puts the registers back. */
void tco_disarm(struct tco *t);
/* The registers that were written, as found and as they are while it is armed. Returns how many; at most room. */
size_t tco_registers(const struct tco *t, struct watchdog_register *out, size_t room);

#endif
