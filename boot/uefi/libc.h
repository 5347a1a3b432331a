/* What the C library leaves to us. */
#ifndef FATHOM_BOOT_UEFI_LIBC_H
#define FATHOM_BOOT_UEFI_LIBC_H

/* Gives the C library's heap, with all that is allocated, back to the firmware. Nothing may allocate afterwards. */
void libc_finish(void);

#endif
