/* Records on the serial line. */
#ifndef FATHOM_BOOT_UEFI_SERIAL_H
#define FATHOM_BOOT_UEFI_SERIAL_H

#include <stdbool.h>

#include "lib/machine.h"

/* A sink that writes to the serial port, or to the console where that is all there is. False when there is neither. */
bool serial_start(struct sink *s);
/* Text for people on the port, where the firmware offers one that no console uses. */
void serial_text(const char *text);

#endif
