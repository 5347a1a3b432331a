/* The folder KERNELS of the volume: files with kernels of the user. */
#ifndef FATHOM_BOOT_UEFI_KERNELS_H
#define FATHOM_BOOT_UEFI_KERNELS_H

#include "boot/uefi/volume.h"
#include "lib/plan/user_kernels.h"

/*
 * Adds the kernels of every file there whose name, of 63 characters at most, ends in .TXT, in the order in which the
 * folder lists them. Mistakes become warnings, and so do files that cannot be read or have more than 256 KiB. Without
 * such a folder nothing is added.
 */
void kernels_read(struct user_kernels *k, const struct volume *v);

#endif
