/* Exceptions where neither a window nor a guarded call catches them: an error of fathom's own, or of the firmware's. */
#ifndef FATHOM_BOOT_UEFI_EXCEPTIONS_H
#define FATHOM_BOOT_UEFI_EXCEPTIONS_H

/*
 * From now on such an exception is described on the screen, the consoles and the serial port before the firmware gets
 * it, since many machines freeze then without a word. NULL, or why the firmware does not let us.
 */
const char *exceptions_start(void);
void exceptions_finish(void);

#endif
