/* Registers and counters of the core in use. */
#ifndef FATHOM_BOOT_UEFI_CONTROL_H
#define FATHOM_BOOT_UEFI_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/reader.h"

/*
 * Why events cannot be counted on the core in use, as far as its registers show without any being changed; NULL where
 * they perhaps can be: machine_counters proves it. Valid until another core is taken into use.
 */
const char *control_no_counters(void);
/* Revision of the microcode of the core in use; 0: not known. */
uint32_t control_revision(void);
/*
 * Prepares the readings of a window so that they sample counters: writes the numbers of the counters that machine_count
 * has set up last into each reading's `counts`. A reading without `counts` is given one that nobody reads. False, with
 * nothing written, where machine_count has set up no counters.
 */
bool control_counting(struct reading *list, size_t count);

#endif
