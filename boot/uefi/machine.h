/* Taking the core in use, and giving everything back: what main.c needs beside lib/machine.h. */
#ifndef FATHOM_BOOT_UEFI_MACHINE_H
#define FATHOM_BOOT_UEFI_MACHINE_H

struct config;

/*
 * Sets the configuration that machine_own, windows and other cores follow; *c must stay valid. To be called before
 * run_all.
 */
void machine_start(const struct config *c);
/*
 * Gives the core in use, the other cores and the memory back to the firmware, and stops the watchdog. To be called
 * after the run, when no window will run any more. Memory that a core may still use stays allocated.
 */
void machine_finish(void);

#endif
