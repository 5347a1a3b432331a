/*
 * The profile `simulated`: the core is one of a cycle-accurate simulator that has few system calls, or of RTL with a
 * thin layer of them. This program then makes as few system calls as possible: some simulators end the simulation at a
 * call that they do not implement. It opens no files either, since they may be those of the machine that simulates.
 */
#ifndef FATHOM_BOOT_LINUX_SIMULATED_H
#define FATHOM_BOOT_LINUX_SIMULATED_H

#include <stdbool.h>

struct writer;

/*
 * Restricts the program's system calls to those for output, memory and the time. To be called before anything else
 * makes system calls, where the profile is `simulated`.
 */
void simulated_begin(void);
/* Whether simulated_begin has been called. */
bool simulated(void);
/*
 * Whether memfd_create may be called, so that code can be written at one address and run at another. False in gem5's
 * system call emulation, which ends the simulation at that call.
 */
bool simulated_offers_shared_memory(void);
/* Sends, once, a `warning` record for each facility that this run does without: signals, deadline, affinity, files. */
void simulated_warn(struct writer *w);

#endif
