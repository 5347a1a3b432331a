/* The firmware's periodic timer interrupt, and its interrupt controller. */
#ifndef FATHOM_BOOT_UEFI_TICK_H
#define FATHOM_BOOT_UEFI_TICK_H

#include <stdbool.h>

/* Finds the timer, and stops and restarts it once to see whether that works. */
void tick_start(void);
/* Why the periodic interrupt cannot be stopped at its source; NULL when it can. */
const char *tick_no_control(void);
/* Stop the periodic interrupt, and start it again with its period; both do nothing where tick_no_control says why. */
void tick_stop(void);
void tick_resume(void);
/*
 * For own_services.interrupt_source: switches a PPI on through the firmware's interrupt controller driver, or off again
 * unless it was on before. False where there is no such driver, or it fails.
 */
bool tick_interrupt_source(unsigned id, bool on);

#endif
