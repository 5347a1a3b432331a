/*
 * A run: the plan, the probes in order, what they report, and the end.
 *
 * The platform prepares a struct run (configuration, sinks, journal) and calls run_all; everything
 * else happens here, the same on every platform.
 */
#ifndef FATHOM_LIB_RUN_H
#define FATHOM_LIB_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/config.h"
#include "lib/environment.h"
#include "lib/facts.h"
#include "lib/journal.h"
#include "lib/measure.h"
#include "lib/record.h"
#include "lib/watch.h"

struct probe_definition;
struct probe;
struct kept_finding;

enum outcome { OUTCOME_OK, OUTCOME_SKIPPED, OUTCOME_FAULT, OUTCOME_TIMEOUT, OUTCOMES };
extern const char *const outcome_names[OUTCOMES];

struct run {
    struct config config;
    struct writer writer;
    struct journal journal;
    struct meter meter;
    struct facts facts;             /* of the core in use: declared, then measured */
    struct environment environment; /* of the core in use */
    struct kept_finding *kept;      /* those with limits, until report_masked */
    size_t kept_count;
    uint64_t points, grid; /* measured by sweeps so far, and what full sweeps of the same ranges would have */
    unsigned number;       /* of this run on its volume; 0 where runs are not numbered */
    char destination
        [96]; /* where the records are, for people and the run record: "volume FATHOM, RESULTS\RUN00012.JSL" */
    unsigned repeat_index;    /* this is the n-th of config.repeat runs */
    bool trusted;             /* the clock probe's verdict on this core; false until it has spoken */
    char untrusted_cause[96]; /* why not */
    unsigned outcomes[OUTCOMES];
    unsigned findings;
    const struct watcher *watcher; /* who sits before this machine; NULL: nobody who could be shown or asked anything */
    bool stopped;                  /* at the watcher's wish: what has not begun is skipped */
    /* How far it is on this core. What an earlier run took tells how long probes will, else the mean of those that ended. */
    struct progress {
        unsigned begun, planned; /* probes */
        unsigned unknown;        /* of those that have not begun, how many no earlier run knows */
        double known_seconds;    /* that the others of these will take */
        double probe_seconds;    /* that the one that runs now will; 0: not known */
        double since, probe_since;
    } progress;
    void (*warn)(struct writer *w); /* sends the platform's warnings, behind the `run` record; NULL where it has none */
};

/*
 * Sends `run`; for every selected core `machine` and `environment`, and then runs every planned probe of
 * this binary in order and prints the table for people; sends `done` and flushes. Returns the process
 * exit status: 0 when every probe ended ok or was skipped for a stated reason, 1 when one faulted or
 * timed out or a core could not be used, 2 when the plan names a probe that does not exist (nothing was
 * run).
 */
int run_all(struct run *r);

/* Tells people what is going on, behind how far the run is; see machine_progress. */
void run_tell(const struct run *r, const char *text);
/* Seconds that this core will still take, by what it took so far; NaN while that says nothing. */
double run_seconds_left(const struct run *r);

/* The probes of this binary, in the order in which they run. */
size_t run_probes(const struct probe_definition *out[], size_t room);
/* Prints them for people, with their findings or without. */
void run_print_probes(bool findings);

#endif
