/* Records on the serial line. */
#ifndef FATHOM_BOOT_UEFI_SERIAL_H
#define FATHOM_BOOT_UEFI_SERIAL_H

#include <stdbool.h>

#include "lib/machine.h"

/*
 * Fills in *s, a sink that writes records to the serial port, or to the console where that is all there is. False when
 * there is neither.
 */
bool serial_start(struct sink *s);
/* Writes text for people to the serial port, where the firmware offers one that no console uses; else nothing. */
void serial_text(const char *text);

#endif
