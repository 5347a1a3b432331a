/*
 * The TCO watchdog of Intel's chipsets: a timer that resets the machine when it has run out twice.
 *
 * Known are ICH6 and all later chipsets, but not Atom's systems on a chip other than Denverton.
 */
#ifndef FATHOM_BOOT_UEFI_TCO_H
#define FATHOM_BOOT_UEFI_TCO_H

#include <stddef.h>
#include <stdint.h>

#include "boot/uefi/watchdog.h"

/*
 * How the registers of the watchdog and of its PCI device are accessed: watchdog.c implements it, and the tests do with
 * a model.
 */
struct tco_access {
    uint32_t (*config)(unsigned function, unsigned offset); /* of device 31 on bus 0; all ones where there is none */
    void (*put_config)(unsigned function, unsigned offset, uint8_t value);
    uint16_t (*in)(uint16_t port);
    void (*out)(uint16_t port, uint16_t value);
    uint32_t (*read)(uint64_t address);
    void (*write)(uint64_t address, uint32_t value);
    void (*wait_ms)(unsigned ms);
};

/* The watchdog. Set by tco_find. */
struct tco {
    const struct tco_access *access;
    uint16_t base; /* first port of its registers */
    /* The register in memory that holds NO_REBOOT; address 0: TCO1_CNT does. */
    uint64_t no_reboot_at;
    uint32_t no_reboot_bit;
    const char *no_reboot_in;
    uint16_t control, timer; /* as found: TCO1_CNT, TCO_TMR, */
    uint32_t no_reboot;      /* and the register that holds NO_REBOOT */
    char why[160];           /* what tco_find or tco_arm has returned */
};

/*
 * Finds the watchdog and fills in *t; changes nothing, but where firmware hides the bridge P2SB shows it for a moment.
 * `access` must stay valid. NULL, or why it cannot be used: a sentence that stays valid as long as *t.
 */
const char *tco_find(struct tco *t, const struct tco_access *access);
/*
 * Starts the watchdog that tco_find has found: its time runs out first after `seconds` seconds, and resets the machine
 * when it runs out once more. NULL, or why not: then it is as after tco_disarm, or nothing was changed. The sentence
 * stays valid as long as *t.
 */
const char *tco_arm(struct tco *t, unsigned seconds);
/* Makes the watchdog's time begin again, so that it does not reset the machine. */
void tco_refresh(const struct tco *t);
/*
 * Stops the watchdog and restores its registers, but bits that note timeouts; a timer that could have reset the machine
 * as it was found stays halted.
 */
void tco_disarm(struct tco *t);
/*
 * Writes the registers that tco_arm has written to `out`, as found and as they are while it is armed. Returns how many,
 * at most `room`.
 */
size_t tco_registers(const struct tco *t, struct watchdog_register *out, size_t room);

#endif
