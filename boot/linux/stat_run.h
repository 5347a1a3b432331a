/* For fathom stat: running a command and measuring each run. */
#ifndef FATHOM_BOOT_LINUX_STAT_RUN_H
#define FATHOM_BOOT_LINUX_STAT_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "boot/linux/stat_plan.h"

/* Measurements that the kernel makes of every process; behind them come the events that were requested. */
enum stat_own { OWN_WALL, OWN_MEMORY, OWN_FAULTS, OWN_SWITCHES, OWN, MEASURES = OWN + STAT_EVENTS };

struct stat_command {
    char **words; /* ended by NULL */
    unsigned warmup, runs;
    bool output; /* let it write to the terminal */
};

/* One measure of one command over its runs. */
struct series {
    double *values;
    size_t count;
};

struct result {
    struct series measure[MEASURES];
};

enum stat_end { STAT_RAN, STAT_FAILED, STAT_CANNOT_RUN };

/* Runs a command as often as was asked for. Except for STAT_RAN a message has gone to standard error. */
enum stat_end stat_run_command(const struct stat_command *command, struct plan *plan, struct result *result);

#endif
