/* The memory that windows measure with: what machine.c needs beside lib/machine.h. */
#ifndef FATHOM_BOOT_UEFI_AREAS_H
#define FATHOM_BOOT_UEFI_AREAS_H

/*
 * To be called after another core was taken into use, which may have unmapped all areas (own_core_start): maps them at
 * their addresses again. What cannot be mapped is lost, with a warning.
 */
void areas_map_again(void);

#endif
