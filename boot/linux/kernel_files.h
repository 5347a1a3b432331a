/* Files with kernels of the user, as `fathom kernel` is given them. */
#ifndef FATHOM_BOOT_LINUX_KERNEL_FILES_H
#define FATHOM_BOOT_LINUX_KERNEL_FILES_H

#include <stdbool.h>

#include "lib/plan/user_kernels.h"

/*
 * Adds the kernels of a file: a text as docs/KERNELS.md describes it; or, where the name ends in .s, .S, .o or .bin,
 * one kernel of that code with the file's name. Mistakes are written to standard error and counted (k->wrong); that a
 * file of code cannot be read is one of them. False where a text cannot be read.
 */
bool kernel_file_add(struct user_kernels *k, const char *path);

#endif
