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

/* What the cores of a run came to. */
struct result {
    unsigned measured;        /* cores on which probes ran */
    unsigned trusted;         /* those of them whose times can be trusted */
    char untrusted_cause[96]; /* of the first core whose times cannot */
    bool failed;              /* a core could not be used, or its first window ended by a fault or a timeout */
};

struct spent run_spent(const struct run *r);

/* One record each, named after its `t`. */
void send_run(struct run *r);
void send_machine(struct run *r);
void send_environment(struct run *r);
void send_start(struct run *r, const struct probe_definition *d);
void send_fault(const struct probe *p);
/* What the probe cost since `before`, and how it ended. */
void send_end(const struct probe *p, const struct spent *before, double seconds);
/* The last record of a run; flushes. `status` is the exit status of the program. */
void send_done(struct run *r, const struct result *result, double seconds, int status);

#endif
