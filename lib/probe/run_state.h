/*
 * The state of a run, which lib/run owns and probes read: configuration, meter, facts, and where records go.
 */
#ifndef FATHOM_LIB_PROBE_RUN_STATE_H
#define FATHOM_LIB_PROBE_RUN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/control.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/measure/meter.h"
#include "lib/observer/observer.h"
#include "lib/plan/config.h"
#include "lib/plan/facts.h"
#include "lib/plan/journal.h"
#include "lib/plan/user_kernels.h"
#include "lib/probe/progress.h"

struct kept_finding;

/* How a probe ended. */
enum outcome { OUTCOME_OK, OUTCOME_SKIPPED, OUTCOME_FAULT, OUTCOME_TIMEOUT, OUTCOMES };
/* Names of the outcomes, as records have them: "ok", "skipped", "fault", "timeout". */
extern const char *const outcome_names[OUTCOMES];

enum { ENVIRONMENT_VALUES = 24 };

/* What was found and set on the core in use (lib/run/environment.h). */
struct environment {
    struct control_value speculation[ENVIRONMENT_VALUES]; /* as found */
    size_t speculation_count;
    bool clock_set;
    bool changed;                      /* a register was changed, and has to be restored */
    double hz_before, hz_set;          /* measured core clock before and after it was set; NaN: not measured */
    double hz_wanted;                  /* clock that the setting should give; 0: not known */
    uint64_t checks;                   /* error banks that hold a machine check (control_machine_checks) */
    const char *no_checks;             /* why they are not read; NULL where they are */
    const char *no_smis;               /* why SMIs are not counted (control_disturbance); NULL where they are */
    char stages[CONTROL_SWITCHES][32]; /* names of the stages in which switches with a hazard were tried */
};

/*
 * The run. The platform sets configuration, kernels, sinks, journal, number, destination, repeat_index, observer and
 * warn before run_all (lib/run/run.h); the rest is set there.
 */
struct run {
    struct config config;
    struct user_kernels kernels; /* that the probe `user_kernel` measures */
    struct writer writer;
    struct journal journal;
    struct meter meter;
    struct facts facts;             /* about the core in use: declared, then measured */
    struct environment environment; /* of the core in use */
    struct kept_finding *kept;      /* findings that masking may take back (lib/finding/masking.h) */
    size_t kept_count;
    uint64_t points, grid; /* points that sweeps measured so far, and points that full sweeps would have */
    unsigned number;       /* of this run on its volume; 0 where runs are not numbered */
    char destination[96];  /* where the records are, for people: "volume FATHOM, RESULTS\RUN00012.JSL" */
    unsigned booted_core;  /* index of the core that the run began on */
    unsigned repeat_index; /* from 1 to config.repeat: which of the repeated runs this is */
    bool trusted;          /* the gate probes trust the times of this core; false until they have run */
    char untrusted_cause[96];
    unsigned outcomes[OUTCOMES]; /* probes so far, by how they ended */
    unsigned findings;           /* reported so far */
    unsigned undecided[REASONS]; /* findings of grade U on this core, by reason */
    /* The person at the machine's screen and keys; NULL: there is none who could be shown or asked anything. */
    const struct observer *observer;
    bool stopped;                   /* the observer has stopped the run: probes that have not begun are skipped */
    struct progress progress;       /* on the core in use */
    void (*warn)(struct writer *w); /* sends the platform's warnings, after the `run` record; NULL: it has none */
};

#endif
