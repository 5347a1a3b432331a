/*
 * The records of a run as such; what probes find is sent by lib/finding and lib/probe. docs/RECORDS.md has their keys.
 */
#ifndef FATHOM_LIB_RUN_RECORDS_H
#define FATHOM_LIB_RUN_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/probe/probe.h"

/* What a run had spent when a probe began. */
struct spent {
    struct meter meter;
    uint64_t points, grid;
    bool counts_smis;
    uint32_t smis;
};

/* The results of all cores of a run. */
struct result {
    unsigned measured;        /* cores that were taken into use, one whose first window failed included */
    unsigned trusted;         /* those of them whose times can be trusted */
    char untrusted_cause[96]; /* of the first core whose times cannot */
    bool failed;              /* a core could not be used, or its first window ended by a fault or a timeout */
};

/* What the run has spent so far on the core in use, for send_end. */
struct spent run_spent(const struct run *r);

/* Sends the record `run`: which program, machine and configuration this is. The first record of a run. */
void send_run(struct run *r);
/* Sends the record `machine` of the core in use: what identifies it, and the facts that are known (r->facts). */
void send_machine(struct run *r);
/*
 * Sends the record `environment` of the core in use. To be called after meter_start and, where windows run,
 * environment_set.
 */
void send_environment(struct run *r);
/* Sends and flushes the record `start`: from now on the probe runs. */
void send_start(struct run *r, const struct probe_definition *d);
/* Sends the record `fault`: the exception, or other fault, that ended the probe. */
void send_fault(const struct probe *p);
/*
 * Sends the record `end` of a probe: how it ended, and what it cost since `before`, in `seconds` of the machine's
 * clock.
 */
void send_end(const struct probe *p, const struct spent *before, double seconds);
/*
 * Sends the record `done`, the last one of a run, and flushes. `seconds` is how long the run took, `status` the exit
 * status of the program.
 */
void send_done(struct run *r, const struct result *result, double seconds, int status);

#endif
