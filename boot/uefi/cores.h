/* Taking other cores into use and giving them back. */
#ifndef FATHOM_BOOT_UEFI_CORES_H
#define FATHOM_BOOT_UEFI_CORES_H

#include <stdbool.h>

#include "arch/own.h"

struct config;
struct lines;

/*
 * Makes a core ready to be given work. *runner runs a function on it; NULL for the core that booted, which needs none.
 * Returns NULL, or why the core cannot be had. One core at a time; cores_leave gives it back to the firmware, and a
 * warning says when that fails.
 */
const char *cores_reach(unsigned index, own_runner **runner);
void cores_leave(unsigned index);
/* Notes, with a warning, that a core could not be given back; nothing where `why` is NULL. */
void cores_given_back(unsigned index, const char *why);
/* Reads from the configuration whether cores at spin tables may be used (risky = cores). To be called first. */
void cores_start(const struct config *c);
/*
 * Whether a core could not be given back, or never can be (spin tables): memory that it may touch must then not be
 * reused, so the machine has to be reset.
 */
bool cores_left_running(void);
/* Whether giving back a core has failed; cores at spin tables do not count. */
bool cores_lost(void);
/* Why the core in use no longer does what it is given; NULL while it does. */
const char *cores_gone(void);
/* What the cores that do not measure do meanwhile, for the environment record. */
const char *cores_parked(void);
/* Adds to the bring-up page how many cores there are, what starts them, and how long one takes to arrive. */
void cores_bringup(struct lines *page);

#endif
