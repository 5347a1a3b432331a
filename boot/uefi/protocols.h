/* The UEFI protocols that the firmware has installed, for the support file. */
#ifndef FATHOM_BOOT_UEFI_PROTOCOLS_H
#define FATHOM_BOOT_UEFI_PROTOCOLS_H

#include "lib/base/record.h"

/*
 * Sends one record: each protocol with the number of handles that have it, and its name where the protocol is a
 * well-known one.
 */
void protocols_send(struct writer *w);

#endif
