/* The core in use: the part of lib/machine.h that describes and changes it. */
#ifndef FATHOM_BOOT_LINUX_MACHINE_H
#define FATHOM_BOOT_LINUX_MACHINE_H

struct config;

/*
 * Pins the process to the core that it runs on, and describes machine and core for machine_info. To be called once,
 * before any other function of lib/machine.h but those for text. NULL, or why nothing can be measured.
 */
const char *machine_start(const struct config *c);

#endif
