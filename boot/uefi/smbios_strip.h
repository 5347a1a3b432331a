/* SMBIOS for the support file: what distinguishes machines of one model is taken out. Calls no firmware. */
#ifndef FATHOM_BOOT_UEFI_SMBIOS_STRIP_H
#define FATHOM_BOOT_UEFI_SMBIOS_STRIP_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes the structures at `table` take, up to the first that is damaged or to the end; at most `most`. */
size_t smbios_bytes(const uint8_t *table, size_t most);
/*
 * Takes out of a copy of the structures, `bytes` bytes long, in place, what distinguishes machines of one model: serial
 * numbers, asset tags, part numbers, UUIDs; and all but the headers of structures that are not known to hold none of
 * these. Characters become asterisks and other bytes zeros, so that offsets and numbers of strings stay as they were.
 */
void smbios_strip(uint8_t *table, size_t bytes);

#endif
