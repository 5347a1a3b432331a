/* What SMBIOS says of the machine. */
#ifndef FATHOM_BOOT_UEFI_SMBIOS_H
#define FATHOM_BOOT_UEFI_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct smbios_system {
    char manufacturer[48], product[64];
    char firmware_version[64], firmware_date[16];
    uint8_t uuid[16]; /* zero where there is none */
};

/* Finds the address of the structures and how many bytes they may take. False where there is no SMBIOS. */
bool smbios_structures(const uint8_t **start, size_t *bytes);
/* Passes each OEM string to `use`, in order. */
void smbios_oem_strings(void (*use)(void *context, const char *text, size_t bytes), void *context);
/* False where there is no SMBIOS, or no System Information in it. Texts that are missing are "". */
bool smbios_system(struct smbios_system *s);

#endif
