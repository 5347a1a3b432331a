/* The firmware's periodic timer interrupt, and its interrupt controller. */
#ifndef FATHOM_BOOT_UEFI_TICK_H
#define FATHOM_BOOT_UEFI_TICK_H

#include <stdbool.h>

void tick_start(void);
/* Why the periodic interrupt cannot be stopped at its source; NULL when it can. */
const char *tick_no_control(void);
void tick_stop(void);
void tick_resume(void);
/* For own_services.interrupt_source: switches a PPI on or off through the firmware's interrupt controller driver. */
bool tick_interrupt_source(unsigned id, bool on);

#endif
