/* What the C library leaves to us. */
#ifndef FATHOM_BOOT_UEFI_LIBC_H
#define FATHOM_BOOT_UEFI_LIBC_H

/*
 * Gives the C library's heap, with all that is allocated in it, back to the firmware. Nothing may be allocated or freed
 * afterwards.
 */
void libc_finish(void);

#endif
