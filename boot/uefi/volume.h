/* Finding the volume that holds the configuration and takes the results, and reading files from it. */
#ifndef FATHOM_BOOT_UEFI_VOLUME_H
#define FATHOM_BOOT_UEFI_VOLUME_H

#include <efi.h>

#include <stddef.h>
#include <stdint.h>

struct volume {
    EFI_FILE_PROTOCOL *root; /* NULL: there is none */
    char name[48];           /* for people: "volume FATHOM" */
};

/* Finds the volume. Where there is none, `root` is NULL and a warning says why. */
void volume_start(struct volume *v);
void volume_finish(struct volume *v);
/* Bytes that are free on it; UINT64_MAX where the firmware does not say. */
uint64_t volume_free_bytes(const struct volume *v);
/* Opens a file for reading; NULL when it does not exist. */
EFI_FILE_PROTOCOL *volume_open(const struct volume *v, const CHAR16 *path);
/* Reads up to `room` bytes from the current position; returns how many were read before the end or an error. */
size_t volume_read(EFI_FILE_PROTOCOL *file, void *to, size_t room);

#endif
