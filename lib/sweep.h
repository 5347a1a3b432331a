/*
 * What a probe does with its kernels: place code, measure points, walk an axis, report.
 *
 * A function that returns false means that the probe is over (a fault, a time-out, no memory): the
 * reason is kept in the probe, and the probe just returns.
 */
#ifndef FATHOM_LIB_SWEEP_H
#define FATHOM_LIB_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/measure.h"
#include "lib/run.h"
#include "lib/engine/search.h"

/* Code whose pages show frames of one's choice. It is written in one piece, and copied to the frames from there. */
struct code_frames {
    struct area area, written; /* the second one has no bytes where kernels are written into frames */
    const size_t *frames;      /* of the area's pages */
};

/* A probe while it runs. */
struct probe {
    const struct probe_definition *definition;
    struct run *run;
    struct area code;                 /* where probe_code lets kernels be written */
    const struct code_frames *frames; /* it does so there instead; NULL: not */
    uint64_t random;                  /* state of random_next; the same start in every run */
    enum outcome outcome;             /* ok until something ends it */
    char reason[96];                  /* why it was skipped */
    struct fault fault;
};

/* Ends the probe as skipped; what the place lacks, in words. Always false. */
bool probe_skip(struct probe *p, const char *reason);
/* Maps memory for data; ends the probe when it cannot be had. */
bool probe_map(struct probe *p, struct area *a, size_t bytes, size_t page_bytes);
/* The same with the largest pages, not larger than the area, that the place gives: the TLB interferes least. */
bool probe_map_large(struct probe *p, struct area *a, size_t bytes);
/* Starts new code of at most `bytes` in the probe's own code area; code.overflow when there is none. */
struct code probe_code(struct probe *p, size_t bytes);
/* Maps room for such code, machine_map_frames; `frames` stays in use. Ends the probe where that cannot be had. */
bool probe_map_code(struct probe *p, struct code_frames *f, const size_t *frames, size_t pages, size_t page_bytes);
/* The same without ending anything: NULL, or why it can't be had. */
const char *probe_try_code(struct code_frames *f, const size_t *frames, size_t pages, size_t page_bytes);
/*
 * And with no copy of all pages to write into, which of large ones would be more than there is: kernels are written
 * into area.write, in the order of frames, by whoever emits them.
 */
const char *probe_try_frames(struct code_frames *f, const size_t *frames, size_t pages, size_t page_bytes);
/*
 * From now on kernels are written there; NULL: where they usually are. Pages that show one frame must hold the same
 * where they are executed: the last of them is what all become.
 */
void probe_use_code(struct probe *p, const struct code_frames *f);
/*
 * Makes finished code, entered at offset `entry`, a kernel. False when it did not fit or is invalid. The code may have
 * been moved on within the room that probe_code gave: `write` and `at` alike, by whole pages where it has frames.
 */
bool probe_kernel(struct probe *p, const struct code *c, size_t entry, struct kernel *k);
/*
 * Whether whoever watches wants the probe to go on; false ends it as skipped. probe_measure asks by itself: this is for
 * what measures in other ways.
 */
bool probe_goes_on(struct probe *p);
bool probe_measure(struct probe *p, const struct kernel *k, struct point *out);
/* Only to choose what to measure: meter_glimpse. */
bool probe_glimpse(struct probe *p, const struct kernel *k, uint64_t *iterations, double *cycles);
/* Ends the probe where a window ended by a fault or a time-out. */
bool probe_survived(struct probe *p, const struct window_result *result);
/* The number of samples, points, … that fits the profile of this run. */
double probe_scale(const struct probe *p, double smoke, double quick, double standard, double full);
/* One number for smoke, where only few instructions are to be executed, and one for all else. */
double probe_smoke(const struct probe *p, double smoke, double otherwise);
/*
 * Whether the frames of this area fall at random: a cache that is indexed by them is then left early. Where the place
 * does not choose frames, a large page still lies on one run of them, unless a hypervisor maps that once more.
 */
bool probe_scattered(const struct area *a);
/* Why pages of this size would tell nothing of themselves here; NULL: they would. */
const char *probe_no_pages(const struct probe *p, size_t page_bytes);

/* One sample of a sweep. */
struct sweep_sample {
    double x, median, ns;
    unsigned rejected; /* readings */
};

/* An axis searched for what is asked of it, with kernels. */
struct sweep {
    const char *name;      /* of the curve */
    const char *axis;      /* what x is, with its unit: "footprint_bytes" */
    const char *unit;      /* what y is: "cycles/load" */
    const char *fooled_by; /* what could fool it, in a word or two; see lib/find.h */
    /* Makes the kernel at x. Built anew for each sample: what is random in it differs from one to the next. */
    bool (*build)(struct probe *p, double x, void *context, struct kernel *k);
    /*
     * Makes a kernel of the same shape that lacks what is asked for; NULL where none is needed. Both are measured
     * one after the other, and by how much the control's y differs from its first one is taken off.
     */
    bool (*control)(struct probe *p, double x, void *context, struct kernel *k);
    /*
     * Takes a whole sample by itself, for what more than these two kernels tell; instead of both. q20 is y. `build` may be
     * there all the same: it makes what is counted as proof of a knee (lib/proof.h).
     */
    bool (*measure)(struct probe *p, double x, void *context, struct point *out);
    const char *
        need; /* y is how many of these events (lib/counters/events.h) a unit causes, NaN where none can be counted; NULL: cycles */
    void *context;
    const struct area *area; /* where the data lies that it walks, for the record; NULL: it matters to nobody */
    double seconds;          /* it takes no longer than this; 0: see sweep_search */
    double stretch;          /* readings are this many times longer than its kernels ask for; 0: 1 */
    struct search search;    /* range, kind, grid; and then the verdict. Budget 0: see sweep_search */
    /*
     * x is how many pages of `area` a kernel touches. An emulator, whose times mean nothing, holds it to that by its page
     * tables: a kernel that touches more or fewer ends the probe as a fault.
     */
    bool touches_pages;

    unsigned held;                /* samples of which the pages were looked at */
    struct sweep_sample *samples; /* in the order of time; freed by sweep_free */
    size_t count, room;
    double deadline, told; /* when it has to end; when people were told last where it is */
    double confirm_at;     /* when it has to end with all but looking at its knees again */
    double control_first;  /* y of the control's first sample */
    struct probe *probe;
};

/*
 * Searches and sends the curve. Where the sweep does not say how much may be spent, the profile does:
 * 12, 600, 1,200 or 6,000 samples, in at most 1, 3, 10 or 60 seconds.
 */
bool sweep_search(struct probe *p, struct sweep *s);
/* Nanoseconds per unit at x, the median of its samples; NaN where none was taken. */
double sweep_ns(const struct sweep *s, double x);
void sweep_free(struct sweep *s);
/* Several experiments, one after the other. False when one of them ended the probe. */
bool sweeps_search(struct probe *p, struct sweep *s, size_t count);
void sweeps_free(struct sweep *s, size_t count);

#endif
