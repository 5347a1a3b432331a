/* Windows on the core in use: the part of lib/machine.h that runs them. */
#ifndef FATHOM_BOOT_UEFI_WINDOWS_H
#define FATHOM_BOOT_UEFI_WINDOWS_H

#include <stdbool.h>

struct config;

/*
 * Takes from the configuration whether windows silence interrupts (key `windows`) and how long one may last
 * (`deadline`). To be called before a core is taken.
 */
void windows_start(const struct config *c);
/*
 * To be called when a core has been taken into use: determines whether its windows silence interrupts. With `windows =
 * off` it tries one that does not; where that is impossible, a warning says why.
 */
void windows_core_taken(void);
/*
 * Whether windows on the core in use silence interrupts. They do, except with `windows = off`, where the core can run
 * them otherwise.
 */
bool windows_are_on(void);
/* The longest that a window may last, in milliseconds. */
unsigned windows_deadline_ms(void);

#endif
