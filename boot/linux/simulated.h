/*
 * The profile `simulated`: the core is one of a cycle-accurate simulator that has few system calls, or of RTL with a
 * thin layer of them. What there is no use for, or no way back from where it is missing, is not asked for at all: an
 * unknown call ends the whole simulation in some simulators, and a file may be one of the machine that simulates.
 */
#ifndef FATHOM_BOOT_LINUX_SIMULATED_H
#define FATHOM_BOOT_LINUX_SIMULATED_H

#include <stdbool.h>

struct writer;

/* From now on this program asks the system for output, memory and the time only. To be called first of all. */
void simulated_begin(void);
bool simulated(void);
/* Whether files of memory may be tried (memfd_create): gem5 ends the simulation at that call. */
bool simulated_offers_shared_memory(void);
/* Code lies in anonymous memory that is writable and executable, for want of shared memory: to be warned of. */
void simulated_note_anonymous_code(void);
bool simulated_has_anonymous_code(void);
/* Sends one warning for each thing that this run does without; each is sent once. */
void simulated_warn(struct writer *w);

#endif
