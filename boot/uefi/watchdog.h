/*
 * An optional watchdog in hardware (key `watchdog`): it resets a machine that nobody watches when nothing was heard of
 * the run for too long. The watchdog of UEFI itself (SetWatchdogTimer) is an event of the firmware's timer, which is
 * stopped while code is measured.
 *
 * Every window, every stage and every line of progress starts its time again. It runs in two halves, so that the reset
 * comes after one to two times the seconds of the configuration, or of twice the deadline of windows where that is
 * more.
 */
#ifndef FATHOM_BOOT_UEFI_WATCHDOG_H
#define FATHOM_BOOT_UEFI_WATCHDOG_H

#include <stdint.h>

struct config;
struct record;

/* A register of a watchdog that was written: its value as found, and as it is while the watchdog is armed. */
struct watchdog_register {
    const char *name;
    uint64_t found, armed;
};

/*
 * Arms the watchdog where the configuration wants it; that is a stage (lib/run/stage.h). Where it cannot be armed, or
 * its time is made longer, a warning says why.
 */
void watchdog_start(const struct config *c);
/*
 * To be called where the run goes on: makes the watchdog's time begin again, once a second at most. May be called as
 * often as one likes; does nothing while it is not armed.
 */
void watchdog_refresh(void);
/* Disarms the watchdog, and restores its registers as they were found. */
void watchdog_stop(void);
/* Adds to the open `environment` record which watchdog is armed and what its registers hold; nothing where none is. */
void watchdog_describe(struct record *r);

#endif
