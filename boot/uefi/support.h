/*
 * The support file, SUPnnnnn.JSL beside the result file RUNnnnnn.JSL: what a machine says of itself, for whoever is to
 * find out from afar why a run went wrong on it. docs/SUPPORT.md describes it. It is written once in a run and flushed
 * record by record, never goes over the serial line, and holds nothing that distinguishes this machine from others of
 * its model or names its owner.
 */
#ifndef FATHOM_BOOT_UEFI_SUPPORT_H
#define FATHOM_BOOT_UEFI_SUPPORT_H

#include "boot/uefi/volume.h"
#include "lib/base/record.h"

/*
 * Opens the file on that volume; `number` is that of the result file, 0 where there is none. Where it cannot be opened,
 * the other functions write nothing, and support_describe says why.
 */
void support_start(const struct volume *v, unsigned number);
/* Adds to the open `machine` record where the support file is, or why there is none. */
void support_describe(struct record *r);
/*
 * Writes what the program and the core say of themselves, and what the firmware says: tables, memory map, protocols.
 * Reading the latter is a stage (lib/run/stage.h). To be called before the core is taken.
 */
void support_tables(void);
/*
 * Writes registers of the core in use, each group of them in a stage of its own, and closes the file. To be called
 * after the core has been taken.
 */
void support_registers(void);

#endif
