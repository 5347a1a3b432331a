/*
 * A run: the plan, the probes in order, what they report, and the end.
 *
 * The platform prepares a struct run (configuration, sinks, journal) and calls run_all; everything
 * else happens here, the same on every platform.
 */
#ifndef FATHOM_LIB_RUN_RUN_H
#define FATHOM_LIB_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/probe/probe.h"
#include "lib/probe/run_state.h"

struct probe_definition;

/*
 * Runs a run from beginning to end: sends `run` and `machine`, takes the core that booted, and, for every selected
 * core, sends `environment`, runs every planned probe of this binary in order and prints the table for people; then
 * sends `done` and flushes. Returns the exit status of the process: 0 when every probe ended ok or was skipped for a
 * stated reason; 1 when one ended by a fault or a timeout, a core could not be used, its first window did not run, or
 * records were lost; 2 when the configuration names a probe that does not exist, and then nothing was run.
 */
int run_all(struct run *r);

#endif
