/* For fathom stat: what it prints. */
#ifndef FATHOM_BOOT_LINUX_STAT_PRINT_H
#define FATHOM_BOOT_LINUX_STAT_PRINT_H

#include <stddef.h>

#include "boot/linux/stat_plan.h"
#include "boot/linux/stat_run.h"

/* A table for people; the second of two commands is compared with the first. */
void stat_print(const struct stat_command *commands, size_t count, const struct plan *plan,
                const struct result *results);
/* The same as records. */
void stat_record(const struct stat_command *commands, size_t count, const struct plan *plan,
                 const struct result *results);
/* To standard error, the events that were not counted and why. */
void stat_print_missing(const struct plan *plan);

#endif
