/* Registers as records of the support file. Calls no firmware. */
#ifndef FATHOM_BOOT_UEFI_SUPPORT_REGISTERS_H
#define FATHOM_BOOT_UEFI_SUPPORT_REGISTERS_H

#include "arch/access.h"
#include "arch/control.h"
#include "lib/base/record.h"

/* Reads the registers of each group of arch/support.h that fits the core, each in its stage, and sends them. */
void support_send_groups(struct writer *w, const struct access *a);
/* Sends the registers of those switches of *c that control_start could read. */
void support_send_switches(struct writer *w, const struct control *c);

#endif
