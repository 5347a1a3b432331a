/* Records on the serial line. */
#ifndef FATHOM_BOOT_UEFI_SERIAL_H
#define FATHOM_BOOT_UEFI_SERIAL_H

#include <stdbool.h>

#include "lib/machine.h"

/* A sink that writes to the serial port, or to the console where that is all there is. False when there is neither. */
bool serial_start(struct sink *s);

#endif
