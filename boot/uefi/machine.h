/* Taking the core in use, and giving everything back. */
#ifndef FATHOM_BOOT_UEFI_MACHINE_H
#define FATHOM_BOOT_UEFI_MACHINE_H

struct config;

/* Takes memory and the core that booted. What cannot be had is a warning; the run goes on without it. */
void machine_start(const struct config *c);
/* Gives the core, the other cores and the memory back to the firmware. */
void machine_finish(void);

#endif
