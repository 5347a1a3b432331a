/*
 * How cores wait that the firmware has parked, for the environment record. One that is awake may lower the clock of the
 * core that measures, and one that shares that core takes a part of it.
 */
#ifndef FATHOM_BOOT_UEFI_PARKED_H
#define FATHOM_BOOT_UEFI_PARKED_H

/*
 * A text about how parked cores wait, halted or awake. That follows from `woke_ms`, the milliseconds that one of them
 * took to arrive after it was started; 0: none was started, and it is not known. Valid until the next call.
 */
const char *parked_text(double woke_ms);

#endif
