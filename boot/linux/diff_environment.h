/* For fathom diff: what was different about the machines. */
#ifndef FATHOM_BOOT_LINUX_DIFF_ENVIRONMENT_H
#define FATHOM_BOOT_LINUX_DIFF_ENVIRONMENT_H

#include <stdbool.h>

struct comparison;

/*
 * Compares the records `machine`, `environment` and `run` of the two runs, and whether their times could be trusted;
 * writes what differs, and counts it in c->environment. False when memory is short.
 */
bool compare_environments(struct comparison *c);

#endif
