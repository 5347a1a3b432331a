/*
 * A sweep: the kernels of an experiment measured along an axis. The search (lib/knee/search.h) chooses the points, and
 * decides where the curve has knees.
 */
#ifndef FATHOM_LIB_PROBE_SWEEP_H
#define FATHOM_LIB_PROBE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/knee/search.h"
#include "lib/measure/meter.h"
#include "lib/probe/probe.h"

/* One sample of a sweep. */
struct sweep_sample {
    double x, median, ns; /* medians over its readings: cycles per unit, nanoseconds per unit */
    double y;             /* as the search takes it */
    double control;       /* how much the control is above the first one; 0: there is none */
    bool repeats;         /* profile simulated: a further sample at x would be the same */
    unsigned rejected;    /* readings */
};

struct sweep {
    const char *name;       /* of the curve */
    const char *axis;       /* what x is, with its unit: "footprint_bytes" */
    const char *unit;       /* what y is: "cycles/load" */
    const char *confounder; /* what could mislead the experiment, in a word or two (lib/finding/grade.h) */
    /*
     * Makes the kernel at x; called anew for each sample, so that what is random in the kernel differs between samples.
     */
    bool (*build)(struct probe *p, double x, void *context, struct kernel *k);
    /*
     * Makes a kernel of the same shape without what is asked for; NULL: none is needed. Both are measured one after the
     * other, and the difference between this control and the first control is subtracted from y.
     */
    bool (*control)(struct probe *p, double x, void *context, struct kernel *k);
    /*
     * Takes a whole sample by itself, out->q20 being y, for experiments of more than two kernels; `build` then only
     * serves to count events as proof of a knee (lib/probe/proof.h). NULL: `build` and `control` make the sample.
     */
    bool (*measure)(struct probe *p, double x, void *context, struct point *out);
    /*
     * y is that of the slowest of so many kernels, each built anew: for what is either there or not, depending on what
     * is random in the kernel, once x is too large. 0: 1. Profiles that count instructions build one.
     */
    unsigned slowest_of;
    /* An event (lib/counters/events.h): y is how many of them a unit causes, NaN where they cannot be counted. NULL:
     * y is cycles. */
    const char *need;
    void *context;
    const struct area *area; /* of the data that kernels use, for the record; NULL: not recorded */
    double seconds;          /* of meter_seconds after which no new sample begins; 0: as the profile has it */
    double length_factor;    /* factor by which readings are longer than their kernels ask for; 0: 1 */
    struct search search;    /* range, kind and grid; then the verdict. Budget 0: as the profile has it */
    /*
     * x is how many pages of `area` a kernel touches. In an emulator, whose times mean nothing, this is checked with
     * page tables: a kernel that touches more or fewer pages ends the probe as a fault.
     */
    bool touches_pages;

    /* Set by sweep_search. */
    unsigned checked;             /* samples of which the touched pages were checked */
    struct sweep_sample *samples; /* in the order of time; freed by sweep_free */
    double *scratch;              /* room for a number of each sample; freed with them */
    size_t count, room;
    double deadline;      /* meter_seconds when it has to end */
    double confirm_at;    /* meter_seconds when all but the confirmation of its knees has to end */
    double shown;         /* machine_seconds when progress was shown last */
    double control_first; /* y of the first control */
    struct probe *probe;
};

/*
 * Searches the sweep's range for knees, and sends the curve as a record. s->search then holds points and verdict, until
 * sweep_free. Where the sweep leaves budget or seconds 0, the profile decides: 12 (smoke), 400 (simulated), 600
 * (quick), 1,200 (standard) or 6,000 (full) samples, in at most 1, 3, 3, 10 or 60 seconds of meter_seconds. False: the
 * probe has ended; sweep_free is due nevertheless.
 */
bool sweep_search(struct probe *p, struct sweep *s);
/* Frees points, verdict and samples of the sweep. */
void sweep_free(struct sweep *s);
/*
 * Searches `count` sweeps, one after the other, as sweep_search does. False: the probe has ended, and the rest was not
 * searched; sweeps_free is due nevertheless.
 */
bool sweeps_search(struct probe *p, struct sweep *s, size_t count);
/* Frees what sweeps_search has allocated for `count` sweeps. */
void sweeps_free(struct sweep *s, size_t count);

#endif
