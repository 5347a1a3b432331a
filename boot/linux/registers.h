/* What registers of the core show of disturbances, to windows. */
#ifndef FATHOM_BOOT_LINUX_REGISTERS_H
#define FATHOM_BOOT_LINUX_REGISTERS_H

#include "arch/control.h"

/*
 * Reads what disturbs the core in use (arch/control.h), as far as its registers can be accessed: nothing before the
 * first call of machine_control on this core.
 */
void registers_disturbance(struct disturbance *out);

#endif
