/* Taking other cores into use and giving them back. */
#ifndef FATHOM_BOOT_UEFI_CORES_H
#define FATHOM_BOOT_UEFI_CORES_H

#include <stdbool.h>

#include "arch/own.h"

struct config;
struct lines;

/*
 * Makes the core with that index ready to be given work. Sets *runner to what runs a function on it; NULL for the core
 * that booted, which needs none. One core at a time. Returns NULL, or why the core cannot be had. cores_leave gives it
 * back.
 */
const char *cores_reach(unsigned index, own_runner **runner);
/*
 * Gives the core that cores_reach made ready back to the firmware; a warning says when that fails. Nothing for the core
 * that booted.
 */
void cores_leave(unsigned index);
/* Notes, with a warning, that a core could not be given back, and why; nothing where `why` is NULL. */
void cores_given_back(unsigned index, const char *why);
/*
 * Reads from the configuration whether cores at spin tables may be used (risky = cores). To be called before every
 * other function here and before machine_cores.
 */
void cores_start(const struct config *c);
/*
 * Whether a core that was used could not be given back, or never can be (spin tables). Memory that it may touch must
 * then not be reused, so the machine has to be reset after the run.
 */
bool cores_left_running(void);
/* Whether a core could not be given back; cores at spin tables, which never can be, do not count. */
bool cores_lost(void);
/* Why the core in use no longer executes what it is given; NULL while it does. */
const char *cores_gone(void);
/*
 * A text about what the cores that do not measure do meanwhile, for the environment record; valid until the next call.
 */
const char *cores_parked(void);
/*
 * Adds to the bring-up page how many cores there are, what starts them, and how long one takes to arrive; for that it
 * starts one and gives it back.
 */
void cores_bringup(struct lines *page);

#endif
