/* What the kernel shows in files of sysfs and procfs. */
#ifndef FATHOM_BOOT_LINUX_FILES_H
#define FATHOM_BOOT_LINUX_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Opens a file of the kernel for reading; the caller closes it. NULL where there is none, or where no file may be read
 * (boot/linux/simulated.h).
 */
FILE *files_open(const char *path);
/*
 * Copies the first line of a file, without its newline, cut to `room`. False, and "", where there is no such file or
 * the line is empty.
 */
bool file_line(const char *path, char *out, size_t room);
/* Whether a list in the kernel's notation, "0-3,8", has that number. */
bool file_list_has(const char *list, unsigned long number);

#endif
