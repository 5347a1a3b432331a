/* What SMBIOS says of the machine. */
#ifndef FATHOM_BOOT_UEFI_SMBIOS_H
#define FATHOM_BOOT_UEFI_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the structure System Information, and that of the firmware, say. Texts are cut where they are longer. */
struct smbios_system {
    char manufacturer[48], product[64];
    char firmware_version[64], firmware_date[16];
    uint8_t uuid[16]; /* zero where there is none */
};

/*
 * Sets *start to the address of the structures, and *bytes to how many bytes they may take. False where there is no
 * SMBIOS.
 */
bool smbios_structures(const uint8_t **start, size_t *bytes);
/* Calls `use`, with `context`, for each OEM string, in order; `text` has `bytes` bytes and no final 0. */
void smbios_oem_strings(void (*use)(void *context, const char *text, size_t bytes), void *context);
/* Fills in *s; texts that are missing become "". False where there is no SMBIOS, or no System Information in it. */
bool smbios_system(struct smbios_system *s);

#endif
