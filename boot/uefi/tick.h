/* The firmware's periodic timer interrupt, and its interrupt controller. */
#ifndef FATHOM_BOOT_UEFI_TICK_H
#define FATHOM_BOOT_UEFI_TICK_H

#include <stdbool.h>

/*
 * Finds the firmware's timer, and stops and restarts it once to see whether that works. To be called once, before
 * windows.
 */
void tick_start(void);
/* Why the periodic interrupt cannot be stopped at its source; NULL when it can. */
const char *tick_no_control(void);
/* Stops the periodic interrupt at its source. Does nothing where tick_no_control says why. */
void tick_stop(void);
/*
 * Starts the periodic interrupt again, with its period, after tick_stop. Does nothing where tick_no_control says why.
 */
void tick_resume(void);
/*
 * For own_services.interrupt_source: enables the interrupt `id`, a PPI, through the firmware's interrupt controller
 * driver; with `on` false, disables it again unless it was enabled before. False where there is no such driver, or it
 * fails.
 */
bool tick_interrupt_source(unsigned id, bool on);

#endif
