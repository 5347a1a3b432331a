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
 * Sends `run`; for every selected core `machine` and `environment`, and then runs every planned probe of
 * this binary in order and prints the table for people; sends `done` and flushes. Returns the process
 * exit status: 0 when every probe ended ok or was skipped for a stated reason, 1 when one faulted or
 * timed out, a core could not be used or a sink lost lines, 2 when the configuration names a probe that
 * does not exist (nothing was run).
 */
int run_all(struct run *r);

#endif
