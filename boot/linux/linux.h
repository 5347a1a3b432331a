/* What the parts of the Linux program share. */
#ifndef FATHOM_BOOT_LINUX_LINUX_H
#define FATHOM_BOOT_LINUX_LINUX_H

#include <stdbool.h>
#include <stdint.h>

/* Pins the process to the core (-1: where it runs now) and describes the machine. NULL, or why not. */
const char *linux_machine_start(int core, unsigned deadline_ms);

/* Program counter of a signal's context. */
uint64_t signal_pc(const void *context);

/* With records on standard output, text for people goes to standard error. */
void linux_console_start(bool text_on_stderr);

#endif
