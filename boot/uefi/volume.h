/* Finding the volume that holds the configuration and takes the results, and reading files from it. */
#ifndef FATHOM_BOOT_UEFI_VOLUME_H
#define FATHOM_BOOT_UEFI_VOLUME_H

#include <efi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A volume that is open. */
struct volume {
    EFI_FILE_PROTOCOL *root; /* NULL: there is none */
    char name[48];           /* for people: "volume FATHOM" */
};

/*
 * Finds and opens the volume labelled FATHOM on the disk that we were loaded from, or where the firmware does not read
 * its label one with FATHOM.CFG, else the volume that we were loaded from. Where there is none, `root` is NULL and a
 * warning says why.
 */
void volume_start(struct volume *v);
/* Closes the volume; files on it must have been closed. */
void volume_finish(struct volume *v);
/* Bytes that are free on the volume; UINT64_MAX where the firmware does not say, or there is no volume. */
uint64_t volume_free_bytes(const struct volume *v);
/* Opens a file of the volume for reading; the caller closes it. NULL when it does not exist, or there is no volume. */
EFI_FILE_PROTOCOL *volume_open(const struct volume *v, const CHAR16 *path);
/*
 * Reads up to `room` bytes of an open file, from its current position on, to `to`. Returns how many were read before
 * the end or an error.
 */
size_t volume_read(EFI_FILE_PROTOCOL *file, void *to, size_t room);

/* A file or folder within a folder, with room for the longest name that FAT has, 255 characters. */
union volume_entry {
    EFI_FILE_INFO info;
    uint8_t bytes[sizeof(EFI_FILE_INFO) + 255 * sizeof(CHAR16)]; /* the structure has the first character */
};

/* Reads the next entry of a folder that volume_open returned. False behind the last one, on an error, or for NULL. */
bool volume_next_entry(EFI_FILE_PROTOCOL *folder, union volume_entry *entry);

#endif
