/* What is known of the machine and of the core in use, and whether that core is ours. */
#ifndef FATHOM_BOOT_UEFI_PLATFORM_H
#define FATHOM_BOOT_UEFI_PLATFORM_H

#include "lib/machine.h"

/*
 * Fills in what machine_info returns for the machine and the core that booted: all that has to be known before the core
 * is ours. To be called once, after firmware_start.
 */
void platform_identify(void);
/*
 * Fills in what machine_info returns for the core that calls this, which need not be the one that booted; own_call runs
 * it there. The argument is not used.
 */
void platform_identify_core(void *unused);
/* What machine_info returns, so that it can be changed when a core is taken into use. */
struct machine_info *platform_info(void);

/*
 * Why there are no windows and no access to registers: the sentence with which lib/machine.h's functions refuse. NULL
 * while the core in use is ours.
 */
const char *platform_not_ours(void);
/* Sets what platform_not_ours returns: the reason, or NULL when the core in use has become ours. */
void platform_set_not_ours(const char *why);

#endif
