/* For fathom stat: running a command and measuring each run. */
#ifndef FATHOM_BOOT_LINUX_STAT_RUN_H
#define FATHOM_BOOT_LINUX_STAT_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "boot/linux/stat_plan.h"

/*
 * Indices of measures: first those that the kernel makes of every process, then, from OWN on, the events of the plan.
 */
enum stat_own { OWN_WALL, OWN_MEMORY, OWN_FAULTS, OWN_SWITCHES, OWN, MEASURES = OWN + STAT_EVENTS };

/* A command, and how it is to be run. */
struct stat_command {
    char **words;          /* ended by NULL */
    unsigned warmup, runs; /* runs that do not count, and runs that do */
    bool output;           /* let it write to the terminal */
};

/* The values that one measure has in the runs of one command. */
struct series {
    double *values;
    size_t count;
};

/* All measures of one command; the caller frees the values. */
struct result {
    struct series measure[MEASURES];
};

/* How running a command ended: as it should; in one of its runs; or it could not be run at all. */
enum stat_end { STAT_RAN, STAT_FAILED, STAT_CANNOT_RUN };

/*
 * Runs a command: first the runs that do not count, then those that do, each of these as many times as the plan has
 * batches. Adds what was measured to *result. Except for STAT_RAN a message has been printed to standard error, and no
 * more runs follow.
 */
enum stat_end stat_run_command(const struct stat_command *command, struct plan *plan, struct result *result);

#endif
