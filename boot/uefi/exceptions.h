/* Exceptions that neither a window nor own_call catches: an error of fathom's own, or of the firmware's. */
#ifndef FATHOM_BOOT_UEFI_EXCEPTIONS_H
#define FATHOM_BOOT_UEFI_EXCEPTIONS_H

/*
 * From now on an exception outside windows and own_call is described on the screen, the consoles and the serial port
 * before the firmware gets it, since many machines freeze then without any message. On x86-64 this is not so for debug
 * exceptions, NMI, double faults, machine checks and a few others (exceptions.c). NULL, or why the firmware does not
 * let us.
 */
const char *exceptions_start(void);
/* Ends what exceptions_start has begun: the firmware gets exceptions directly again. */
void exceptions_finish(void);

#endif
