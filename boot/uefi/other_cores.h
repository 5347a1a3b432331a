/*
 * The cores besides the one that booted, as each ISA reaches them: processors.c (x86-64, by the firmware's MP
 * services) and psci.c (AArch64, by PSCI) implement this for cores.c and responder.c.
 */
#ifndef FATHOM_BOOT_UEFI_OTHER_CORES_H
#define FATHOM_BOOT_UEFI_OTHER_CORES_H

#include <stddef.h>
#include <stdint.h>

#include "arch/own.h"
#include "lib/machine.h"

/*
 * Lists all cores, the one that booted first; the caller sets their indexes. Returns how many there are; at most `room`
 * are written. `spinning`: cores that wait at a spin table (AArch64) are listed as usable, too.
 */
size_t others_list(struct machine_core *out, size_t room, bool spinning);
/*
 * Makes the core with that identifier (struct machine_core.id) ready for work, and sets *runner to what runs a function
 * on it; one core at a time, which others_leave gives back. Returns NULL, or why not.
 */
const char *others_reach(uint64_t id, own_runner **runner);
/* A text about what starts other cores on this machine ("PSCI, called by SMC"), or that nothing does; for people. */
const char *others_way(void);
/*
 * Has a function called on a core that is not in use, while this one goes on; BESIDE_CORES at most at a time
 * (lib/measure/responder.h). Returns NULL, or why not. After NULL, others_wait or others_end is due.
 */
const char *others_begin(uint64_t id, void (*function)(void *), void *argument);
/*
 * Waits until the function that others_begin has begun on that core has returned, for a second or so at most. The core
 * then waits for the next others_begin, awake, until others_end. NULL, or why it still runs.
 */
const char *others_wait(uint64_t id);
/* Asks the core to go back to the firmware, so that others_end has less to wait for where there are several. */
void others_ask_back(uint64_t id);
/*
 * Does as others_wait does, and gives the core back to the firmware. NULL, or why the core still runs: then memory that
 * it may touch must not be reused.
 */
const char *others_end(uint64_t id);
/* Why the core that others_reach made ready no longer executes what it is given; NULL while it does. */
const char *others_gone(void);
/*
 * Gives the core that others_reach made ready back to the firmware. NULL, or why it still runs: then memory that it may
 * touch must not be reused.
 */
const char *others_leave(uint64_t id);
/*
 * Whether a core that was used goes on executing code of this program, so that the program's memory must not be given
 * back to the firmware.
 */
bool others_kept(void);
/*
 * A text about what the cores of this list that are not in use do meanwhile, or why that is not known, for the
 * environment record. Valid until the next call.
 */
const char *others_parked(const struct machine_core *all, size_t count);

#endif
