/* The core in use. */
#ifndef FATHOM_BOOT_LINUX_MACHINE_H
#define FATHOM_BOOT_LINUX_MACHINE_H

struct config;

/* Pins the process to the core it runs on, and describes the machine. NULL, or why nothing can be measured. */
const char *machine_start(const struct config *c);

#endif
