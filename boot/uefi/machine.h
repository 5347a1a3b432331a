/* Taking the core in use, and giving everything back. */
#ifndef FATHOM_BOOT_UEFI_MACHINE_H
#define FATHOM_BOOT_UEFI_MACHINE_H

struct config;

/* The configuration that machine_own follows. */
void machine_start(const struct config *c);
/* Gives the core, the other cores and the memory back to the firmware. */
void machine_finish(void);

#endif
