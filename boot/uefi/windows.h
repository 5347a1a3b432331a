/* Windows on the core in use. */
#ifndef FATHOM_BOOT_UEFI_WINDOWS_H
#define FATHOM_BOOT_UEFI_WINDOWS_H

#include <stdbool.h>

struct config;

/* Takes the keys `windows` and `deadline_ms`. */
void windows_start(const struct config *c);
/* To be called when a core has been taken into use: determines whether its windows silence interrupts. */
void windows_core_taken(void);
/* Whether windows on the core in use silence interrupts: always, but for `windows = off` where that is possible. */
bool windows_are_on(void);
/* The longest that a window may last, in milliseconds. */
unsigned windows_deadline_ms(void);

#endif
