/*
 * How cores wait that the firmware has parked, for the environment record. One that is awake may lower the clock of the
 * core that measures, and one that shares that core takes a part of it.
 */
#ifndef FATHOM_BOOT_UEFI_PARKED_H
#define FATHOM_BOOT_UEFI_PARKED_H

/* `woke_ms` is how long one of them took to arrive after it was started; 0: none was started. Valid until called again. */
const char *parked_text(double woke_ms);

#endif
