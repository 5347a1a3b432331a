/* What cores.c asks about other cores than the one that booted; processors.c and psci.c each are one ISA's answer. */
#ifndef FATHOM_BOOT_UEFI_CORES_PRIVATE_H
#define FATHOM_BOOT_UEFI_CORES_PRIVATE_H

#include "arch/own.h"
#include "lib/machine.h"

/* All cores but for their index, the one that booted first. Returns how many there are; at most room are written. */
size_t others_list(struct machine_core *out, size_t room);
/* Makes it ready for work: *runner gives it some. NULL, or why not. */
const char *others_reach(uint64_t id, own_runner **runner);
/*
 * Has a function called on a core that is not in use, while this one goes on. NULL, or why not; else others_end waits until
 * it has returned, and gives the core back.
 */
const char *others_begin(uint64_t id, void (*function)(void *), void *argument);
/* NULL, or why it still runs: then what it may touch must stay as it is. */
const char *others_end(uint64_t id);
/* Why the core that was reached does nothing any more; NULL while it does. */
const char *others_gone(void);
/* Gives it back to the firmware. NULL, or why it still runs: then what it may touch must stay as it is. */
const char *others_leave(uint64_t id);
/* How they are kept while they do not work; and when nobody knows a way to them, why. */
const char *others_parked(void);

#endif
