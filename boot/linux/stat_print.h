/* For fathom stat: what it prints. */
#ifndef FATHOM_BOOT_LINUX_STAT_PRINT_H
#define FATHOM_BOOT_LINUX_STAT_PRINT_H

#include <stddef.h>

#include "boot/linux/stat_plan.h"
#include "boot/linux/stat_run.h"

/*
 * Prints a table of the results for people, to standard output; there are `count` commands, one or two, and the second
 * is compared with the first.
 */
void stat_print(const struct stat_command *commands, size_t count, const struct plan *plan,
                const struct result *results);
/* Writes the results as records `table`, one for each command, to standard output. */
void stat_record(const struct stat_command *commands, size_t count, const struct plan *plan,
                 const struct result *results);
/* Prints to standard error the events that were not counted and why. */
void stat_print_missing(const struct plan *plan);

#endif
