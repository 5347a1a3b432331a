/* What registers of the core show to windows. */
#ifndef FATHOM_BOOT_LINUX_REGISTERS_H
#define FATHOM_BOOT_LINUX_REGISTERS_H

#include "arch/control.h"

/* What disturbs the core in use, as far as its registers can be accessed: from the first machine_control on. */
void registers_disturbance(struct disturbance *out);

#endif
