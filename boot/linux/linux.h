/* What the parts of the Linux program share. */
#ifndef FATHOM_BOOT_LINUX_LINUX_H
#define FATHOM_BOOT_LINUX_LINUX_H

#include <stdbool.h>
#include <stdint.h>

struct config;
struct machine_info;

/* Pins the process to the core it runs on and describes the machine. NULL, or why not. */
const char *linux_machine_start(const struct config *c);
/* A fault outside windows: whether a guard of an area was touched. From then on it may be, and the run is told. */
bool linux_guard_touched(uintptr_t address, uint64_t pc);

/* Finds all cores and their types (cores.c). To be called while the process may still use all of them. */
void linux_cores_start(void);
/* "P", "E", "" … as struct machine_core has it. */
const char *linux_core_type(unsigned index);

/*
 * Makes windows possible: signals, the deadline, and what the reader can read, which is written into `info`.
 * NULL, or why nothing can be measured.
 */
const char *linux_windows_start(unsigned deadline_ms, struct machine_info *info);
/* Frequency of the reader's time stamp against the kernel's clock. */
double linux_tick_hz(void);
/* While it is on, identification registers that this process may not read are zero. */
void linux_describing(bool on);

/* With records on standard output, text for people goes to standard error. */
void linux_console_start(bool text_on_stderr);

/* fathom knee; its arguments begin behind its name. Returns the exit status. */
int command_knee(int count, char **words);
/* fathom diff, likewise. */
int command_diff(int count, char **words);
/* fathom counters, likewise. */
int command_counters(int count, char **words);
/* fathom stat, likewise. */
int command_stat(int count, char **words);
/* Prints the forms of the catalogue whose names are as the pattern says, and what is left out. Its exit status. */
int list_forms(const char *pattern);

#endif
